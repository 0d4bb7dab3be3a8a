"""A question as a weighted query, and the scoring of passages and articles by it."""
