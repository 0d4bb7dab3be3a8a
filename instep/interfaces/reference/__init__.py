"""The API's description of itself: the OpenAPI document and the page that shows it to people."""
