"""Pure functions for readers of Markdown files: front matter, code, titles, headings, callouts."""
