"""Readers who follow the changelog, an article or a collection, by feed or by email."""
