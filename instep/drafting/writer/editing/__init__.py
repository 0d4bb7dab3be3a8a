"""The edits of articles: certain ones, code in examples, removals and likely ones, and how to apply them."""
