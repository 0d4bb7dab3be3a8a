"""Markdown with components (MDX, Vue, Astro) as plain Markdown."""
