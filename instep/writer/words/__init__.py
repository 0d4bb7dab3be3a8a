"""What the steps share about words: tokens, names, where one stands in a text, prose safe to write."""
