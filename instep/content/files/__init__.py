"""Images and downloads of articles: uploads, storage, and the texts that refer to them."""
