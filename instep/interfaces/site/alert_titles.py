"""The titles of alerts in a text, such as “Warning”, in the language of its page."""

import re

from instep.platform.web.catalogues import catalogue_of, message

# The renderer's output if the author names only the kind of an alert.
TITLES = (message("Note"), message("Tip"), message("Important"), message("Warning"), message("Caution"))
TITLE = re.compile(rf'(?<=<p class="markdown-alert-title">)(?:{"|".join(TITLES)})(?=</p>)')


def translate_alert_titles(html: str, locale: str) -> str:
    catalogue = catalogue_of(locale)
    return TITLE.sub(lambda title: catalogue.gettext(title[0]), html)
