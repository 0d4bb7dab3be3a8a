"""The tree of a source in any format, and code that the readers of all formats share."""
