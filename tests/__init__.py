"""Tests, in folders named like the slices, in files named like the operations."""
