"""A source as a tree, whatever its format, and what the readers of all formats share."""
