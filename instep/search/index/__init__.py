"""The inverted index of a bot: built from articles, kept in memory and stored, caught up by change stamps."""
