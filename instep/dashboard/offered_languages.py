"""The languages that forms offer; where a field takes any code, they are suggestions."""

from instep.web.catalogues import language_name

OFFERED = (
    *("en", "de", "es", "fr", "it", "nl", "pl", "pt-BR", "sv", "tr", "uk", "ar", "he", "ja", "ko", "zh-Hans"),
    # Regions and further languages, which are seldom what a first help center begins with.
    *("en-GB", "de-AT", "de-CH", "fr-CA", "es-MX", "pt-PT", "zh-Hant"),
    *("cs", "da", "el", "fi", "hi", "hu", "id", "nb", "ro", "th", "vi"),
)
LANGUAGES = tuple((code, language_name(code)) for code in OFFERED)


def name_with_code(locale: str) -> str:
    """A language for people who know its name and for those who know its code: `Deutsch · de`."""
    name = language_name(locale)
    return name if name == locale else f"{name} · {locale}"
