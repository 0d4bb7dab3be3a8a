"""Opens the files of a source and reads them into a tree, with the reader of their format."""
