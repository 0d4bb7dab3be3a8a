"""Questions and how articles score for them.

`tokenizer` splits texts and questions into words; `analysis` makes a weighted query of a question, with stop
words and synonyms of the `lexicon` and spelling corrections of `fuzzy`; `scoring` ranks articles and passages
by BM25; `proximity` measures how close together a passage has the terms.
"""
