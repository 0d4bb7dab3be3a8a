"""Backups of a whole installation while it serves, and restoring them elsewhere."""
