"""Imports files or another product's content as articles, collections, files and redirects of a bot."""
