"""HTML of other products to plain Markdown: it is data, and nothing of it reaches a page as it was."""
