"""Golden questions: what a help center must be able to answer, each with the article that answers it."""
