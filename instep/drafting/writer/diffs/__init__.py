"""A unified diff as data, the kinds of its files, and which of them are reviewed."""
