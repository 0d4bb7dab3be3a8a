"""The changelog: entries that tell what changed in the product."""
