"""Problems of articles: checks of a text, of its links to others, and of signals against it."""
