"""Questions, and the scores of articles for them.

`tokenizer` splits texts and questions into words; `analysis` turns a question into a weighted query, with
stop words and synonyms of the `lexicon` and spelling corrections of `fuzzy`; `scoring` ranks with BM25;
`proximity` measures how close together the terms are in a passage.
"""
