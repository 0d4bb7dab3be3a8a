"""What articles say and how they are built: words, headings, sections, passages, blocks."""
