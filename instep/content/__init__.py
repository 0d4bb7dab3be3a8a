"""Content for readers: articles, collections, the changelog, files, redirects."""
