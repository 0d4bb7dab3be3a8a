"""Reads articles: words, headings, sections, lists, passages."""
