"""Shared by readers of Markdown files: front matter, code, titles, headings, callouts. All of it is pure."""
