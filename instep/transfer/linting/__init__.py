"""The command `instep check`, which finds problems in a folder of Markdown files, without a server."""
