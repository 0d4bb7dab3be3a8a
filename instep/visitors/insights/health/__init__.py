"""What is wrong with articles: checks of a text, of its place among the others, and of signals against it."""
