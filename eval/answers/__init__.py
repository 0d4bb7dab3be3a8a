"""How well a language model answers our own questions, compared with the articles' own words."""
