"""Moving in: files or another product become articles, collections, files and redirects of a bot."""
