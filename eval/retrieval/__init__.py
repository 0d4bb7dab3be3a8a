"""How well the search finds what answers a question, and how well it knows that nothing does."""
