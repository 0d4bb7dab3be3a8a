"""Exports a bot's content as Markdown files with front matter, in a folder or a deterministic ZIP file."""
