"""Moving out: everything of a bot as Markdown files with front matter, and as a deterministic zip."""
