"""Searching live articles by their words and, with embeddings, by their meaning.

`actions` searches articles (REST, workspace MCP) and passages (site, public MCP); `retrieve` finds the
passages that answer a question, with the confidence that they do; `jobs` store indexes and embed articles;
`queries` has the SQL and `schemas` the shapes. `index` holds the inverted index of each bot, `query` analyzes
questions and scores by BM25, `semantic` has the embeddings. `excerpts` and `highlight` are pure functions on
texts, below `schemas`.
"""
