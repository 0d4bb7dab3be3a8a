"""Converts other products' HTML to plain Markdown; no part of the HTML reaches a page unconverted."""
