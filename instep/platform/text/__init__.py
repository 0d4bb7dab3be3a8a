"""Text parsing: characters, words, sentences, blocks of Markdown, diffs. Pure: no database, no network."""
