"""Shared helpers for words: identifiers, search terms, and prose that is safe to write."""
