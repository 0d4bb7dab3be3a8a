"""What articles say and how they are built: words, headings, sections, lists, passages."""
