"""How well a language model answers our own questions, beside the articles' own words."""
