"""Sentences about a visitor's mistakes that say what to do, in the language of the page."""

from instep.platform.core.errors import InvalidRequest
from instep.platform.web.catalogues import message

TOO_MANY_REQUESTS = message("Too many requests came from your network. Wait a minute, then try again.")
PRESS_AGAIN = message("Your rating was not saved: go back and press “Yes” or “No” again.")
SEND_AGAIN = message("Nothing was sent yet: press “Send” again.")
AT_MOST_CHARACTERS = message("Use at most %(number)s characters.")


class VisitorMistake(InvalidRequest):
    """A request that a visitor can correct; `values` fill the placeholders in the text of the catalogs."""

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text % values if values else text)
        self.text = text
        self.values = values
