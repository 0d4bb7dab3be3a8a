"""Converts Markdown with components (MDX, Vue, Astro) to plain Markdown."""
