"""Redirects: addresses of an earlier help center, and what they lead to now."""
