"""Keeping a folder of a git repository and a bot's articles in step, in both directions."""
