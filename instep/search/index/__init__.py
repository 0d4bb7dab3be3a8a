"""The inverted index of a bot.

`passages` splits Markdown; `stems` asks PostgreSQL for stems; `builder` makes a `segment` (postings in flat
arrays) from articles; `cache` keeps a bot's segments in memory, updates them with changes and stores them;
`shared_files` lets the processes of a machine map the same files of stored segments.
"""
