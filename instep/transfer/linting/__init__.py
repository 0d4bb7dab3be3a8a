"""The command `instep check`: what is wrong with a folder of Markdown files, without a server."""
