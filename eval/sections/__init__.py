"""Whether answers quote the right section: our own questions, and the gold passages of question sets."""
