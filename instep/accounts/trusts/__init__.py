"""Trusts: CI jobs that get short-lived API keys without a secret in the CI."""
