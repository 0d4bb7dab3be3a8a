"""Imports, exports, sync with git, checks of Markdown files, and repositories at code hosts."""
