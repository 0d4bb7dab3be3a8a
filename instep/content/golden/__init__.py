"""Golden questions: questions that a help center must answer, each with the article that answers it."""
