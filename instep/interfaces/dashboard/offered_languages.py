"""The languages that forms offer, as suggestions if a field accepts any code."""

from collections.abc import Collection

from instep.drafting.translations.actions import count_coverage
from instep.platform.identity.schemas import Ctx
from instep.platform.web.catalogues import language_name

# Listed here, because the library's data for all of them would take 33 MB in each server process.
LANGUAGES = (
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("it", "Italiano"),
    ("nl", "Nederlands"),
    ("pl", "Polski"),
    ("pt-BR", "Português (Brasil)"),
    ("sv", "Svenska"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("ar", "العربية"),
    ("he", "עברית"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("zh-Hans", "中文 (简体)"),
    # Regions and further languages, with which a first help center seldom starts.
    ("en-GB", "English (United Kingdom)"),
    ("de-AT", "Deutsch (Österreich)"),
    ("de-CH", "Deutsch (Schweiz)"),
    ("fr-CA", "Français (Canada)"),
    ("es-MX", "Español (México)"),
    ("pt-PT", "Português (Portugal)"),
    ("zh-Hant", "中文 (繁體)"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("el", "Ελληνικά"),
    ("fi", "Suomi"),
    ("hi", "हिन्दी"),
    ("hu", "Magyar"),
    ("id", "Indonesia"),
    ("nb", "Norsk bokmål"),
    ("ro", "Română"),
    ("th", "ไทย"),
    ("vi", "Tiếng Việt"),
)


async def first_missing_language(ctx: Ctx, taken: Collection[str]) -> str:
    """The first language of the help center that is not taken yet, to preselect; empty if all are."""
    return next((row.locale for row in await count_coverage(ctx, None) if row.locale not in taken), "")


def name_with_code(locale: str) -> str:
    """A language by name and by code: `Deutsch · de`."""
    name = language_name(locale)
    return name if name == locale else f"{name} · {locale}"
