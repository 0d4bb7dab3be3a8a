"""The inverted index of a bot: built from articles, kept in memory and in the database, caught up by change stamps."""
