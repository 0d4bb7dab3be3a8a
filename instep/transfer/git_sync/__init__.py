"""Two-way sync between a folder of a git repository and a bot's articles."""
