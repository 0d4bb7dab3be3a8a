"""Articles, their former slugs and their revisions."""
