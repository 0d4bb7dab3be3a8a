"""Changelog: what is new in the product, entry by entry."""
