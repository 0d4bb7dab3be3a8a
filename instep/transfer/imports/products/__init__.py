"""What the readers of other products' exports share: saved JSON, addresses with ids, texts in HTML."""
