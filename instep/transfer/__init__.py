"""Moving in and out: imports, exports, sync with git, checks of Markdown files."""
