"""What a language model may add: what it is asked, and which of its words hold."""
