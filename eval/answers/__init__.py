"""Compare the answers of a language model to our questions with quotes from the articles."""
