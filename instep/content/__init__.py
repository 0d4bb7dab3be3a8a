"""Texts that readers read: articles, collections, the changelog, files, redirects."""
