"""Translations of articles, block by block: what a change of the original touches, and its translation."""
