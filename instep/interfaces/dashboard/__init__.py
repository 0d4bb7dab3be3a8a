"""The dashboard: pages below `/app` on which people review, write and answer."""
