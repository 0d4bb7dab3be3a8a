"""Product-independent basics: configuration, database, ids, errors, paging, Markdown, diffs."""
