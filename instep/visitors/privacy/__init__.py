"""The data that all slices store about one visitor: exported and erased."""
