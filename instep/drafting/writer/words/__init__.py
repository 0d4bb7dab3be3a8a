"""The steps' shared means for words: identifiers, search terms, and prose that is safe to write."""
