"""What the steps share about words: identifiers, search terms, and prose that is safe to write."""
