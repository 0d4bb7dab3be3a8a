"""Writes a plan as articles, collections and files of a bot, in batches that each commit."""
