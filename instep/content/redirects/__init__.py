"""Redirects: addresses of a former help center, and their targets."""
