"""Images and downloads of articles: uploads, storage, and which texts refer to them."""
