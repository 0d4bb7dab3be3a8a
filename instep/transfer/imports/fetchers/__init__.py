"""Reading articles from the APIs of other products: what they answer becomes files that a reader reads."""
