"""Searches live articles by words and, with embeddings, by meaning.

`actions` searches articles (REST, workspace MCP) and passages (site, public MCP); `retrieve` finds the
passages that answer a question, with a confidence; `jobs` store indexes and embed articles;
`queries` has the SQL and `schemas` the shapes. `index` has the inverted index of each bot, `query` analyzes
questions and scores with BM25, `semantic` has the embeddings. `excerpts` and `highlight` are pure text
functions below `schemas`.
"""
