"""Trusts: which jobs of which CI service get short-lived API keys, without a secret in the CI."""
