"""The visitor API (the specification's answer API): calls with a bot's public key, from pages and servers."""
