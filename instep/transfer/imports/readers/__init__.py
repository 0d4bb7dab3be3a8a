"""A reader for each format, which reads files into a tree."""
