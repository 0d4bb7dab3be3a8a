"""A reader for each format; all of them read files into one tree."""
