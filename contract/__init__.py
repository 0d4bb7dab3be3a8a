"""Proofs from outside: other people's tools read the API's description, and ask the API what it says."""
