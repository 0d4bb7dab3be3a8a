"""Plumbing without product words: configuration, database, ids, errors, paging, Markdown, diffs."""
