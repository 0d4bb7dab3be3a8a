"""Translations: drafts and places for changes of their originals, and tasks that translate articles."""
