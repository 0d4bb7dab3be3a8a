"""A unified diff as data, the kinds of its files, and the choice of the files to review."""
