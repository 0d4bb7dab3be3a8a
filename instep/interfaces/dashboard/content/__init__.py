"""Pages about content: articles with their history and translations, collections, and the changelog."""
