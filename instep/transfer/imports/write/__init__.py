"""A plan becomes articles, collections and files of a bot, in batches that commit."""
