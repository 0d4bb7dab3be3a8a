"""Measure whether the search finds the article that answers a question, and knows if none does."""
