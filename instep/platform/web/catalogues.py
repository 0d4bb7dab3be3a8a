"""The texts of public pages and of answers in visitors' languages, as gettext catalogs.

Templates and code contain the English texts. `make messages` updates the catalogs in `locales` accordingly;
each is compiled at first use.
"""

import gettext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Literal

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from instep.platform.core import limits

CATALOGUES = Path(__file__).parent / "locales"
SOURCE_LANGUAGE = "en"
LANGUAGES = (SOURCE_LANGUAGE, "de", "fr", "es", "pt", "ja", "ar")
# The languages of answers and of the widget, which customers' pages show.
REPLY_LANGUAGES = (*LANGUAGES, "it", "nl", "zh")
# The texts of public pages, and those of answers and of the widget.
Domain = Literal["messages", "replies"]


def message(text: str) -> str:
    """Mark a text in the code for the catalogs; it is translated when it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The texts of one language, and its formats of dates and numbers."""

    locale: Locale
    translations: gettext.NullTranslations

    def gettext(self, text: str, **values: object) -> str:
        """The text in this language, with `values` for its `%(name)s`."""
        translated = self.translations.gettext(text)
        return translated % values if values else translated

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        """The text for a number in this language, with the number for its `%(number)s`."""
        return self.translations.ngettext(singular, plural, number) % {"number": self.number(number)}

    def date(self, moment: datetime) -> str:
        """The day in UTC, in the language's usual format."""
        return format_date(moment.astimezone(UTC), "long", self.locale)

    def language(self, locale: str) -> str:
        """The name of another language in this one: anglais; the code without a known name."""
        try:
            return Locale.parse(locale, sep="-").get_display_name(self.locale) or locale
        except (UnknownLocaleError, ValueError):
            return locale

    def number(self, number: int) -> str:
        return format_decimal(number, locale=self.locale)


def page_language(locale: str) -> str:
    """The language of the texts on pages of this locale: its own, or English without a catalog."""
    language = locale.split("-")[0].lower()
    return language if language in LANGUAGES else SOURCE_LANGUAGE


@lru_cache(limits.MAX_CATALOGUES)
def catalogue_of(locale: str) -> Catalogue:
    """The catalog for pages of this locale."""
    language = page_language(locale)
    try:
        parsed = Locale.parse(locale, sep="-")
    except (UnknownLocaleError, ValueError):
        parsed = Locale(language)
    return Catalogue(parsed if parsed.language == language else Locale(language), translations_in(language))


def reply_translations(locale: str) -> gettext.NullTranslations:
    """The texts of answers in the language of a locale, or in English."""
    language = locale.split("-")[0]
    return translations_in(language if language in REPLY_LANGUAGES else SOURCE_LANGUAGE, "replies")


@cache
def translations_in(language: str, domain: Domain = "messages") -> gettext.NullTranslations:
    if language == SOURCE_LANGUAGE:
        return gettext.NullTranslations()
    compiled = BytesIO()
    with catalogue_file(language, domain).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def catalogue_file(language: str, domain: Domain = "messages") -> Path:
    return CATALOGUES / language / "LC_MESSAGES" / f"{domain}.po"


@lru_cache(limits.MAX_CATALOGUES)
def language_name(locale: str) -> str:
    """The native name of a language: Deutsch, português (Brasil)."""
    try:
        name = Locale.parse(locale, sep="-").get_display_name()
    except (UnknownLocaleError, ValueError):
        name = None
    return name[:1].upper() + name[1:] if name else locale
