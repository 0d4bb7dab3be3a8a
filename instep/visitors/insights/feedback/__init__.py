"""Readers' feedback on articles."""
