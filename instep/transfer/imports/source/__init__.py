"""The files of a source, and the tree that the reader of their format makes of them."""
