"""What readers of Markdown files share: front matter, code, titles, headings, callouts. All of it is pure."""
