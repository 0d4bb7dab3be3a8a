"""Carries a change's edits of its own documentation over into the articles with the same text."""
