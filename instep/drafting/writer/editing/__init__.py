"""The edits of articles: certain and likely ones, code in examples, removals; and how to apply them."""
