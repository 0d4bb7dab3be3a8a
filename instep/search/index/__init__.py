"""The inverted index of a bot.

`passages` splits Markdown; `stems` asks PostgreSQL for stems; `builder` makes a `segment` (postings in flat
arrays) of articles; `cache` keeps the segments of a bot in memory, catches up with changes and stores them;
`shared_files` lets the processes of a machine map the same files of stored ones.
"""
