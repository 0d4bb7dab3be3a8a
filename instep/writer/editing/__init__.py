"""The edits: what is certain, code that articles show, what is gone, and what is likely; put together."""
