"""`make messages`: bring the catalogues of pages, email and answers (`platform/web/locales`) up to date.

New texts come in without a translation, which a test refuses; texts that are gone go out.
"""

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from instep.platform.web.catalogues import LANGUAGES, REPLY_LANGUAGES, Domain, catalogue_file

ROOT = Path(__file__).parent.parent
METHODS: dict[Domain, list[tuple[str, str]]] = {
    "messages": [
        ("instep/interfaces/site/templates/**.html", "jinja2.ext:babel_extract"),
        ("instep/interfaces/site/**.py", "python"),
        ("instep/platform/web/diagrams.py", "python"),
        ("instep/platform/email/templates/**.*", "jinja2.ext:babel_extract"),
        ("instep/platform/email/letters.py", "python"),
        ("instep/accounts/people/letters_to_people.py", "python"),
        ("instep/drafting/drafts/email_digest.py", "python"),
        ("instep/notifications/alerts/alert_addresses.py", "python"),
        ("instep/notifications/inbox/notice_letters.py", "python"),
        ("instep/visitors/subscriptions/reader_letters.py", "python"),
    ],
    "replies": [("instep/visitors/answers/**.py", "python")],
}
TRANSLATED: dict[Domain, tuple[str, ...]] = {"messages": LANGUAGES[1:], "replies": REPLY_LANGUAGES[1:]}
MARKED_TEMPLATES = {"extensions": "jinja2.ext.i18n", "trimmed": "true"}
OPTIONS = {
    "instep/interfaces/site/templates/**.html": MARKED_TEMPLATES,
    "instep/platform/email/templates/**.*": MARKED_TEMPLATES,
}
SEARCHED = (
    Path("instep/interfaces/site"),
    Path("instep/platform/web"),
    Path("instep/visitors/answers"),
    Path("instep/platform/email"),
    Path("instep/accounts/people"),
    Path("instep/drafting/drafts"),
    Path("instep/notifications/alerts"),
    Path("instep/notifications/inbox"),
    Path("instep/visitors/subscriptions"),
)
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "message": None}
# Pages that only operators see, who run an English program.
NOT_FOR_VISITORS = {"instep/interfaces/site/templates/front.html"}
UNREAD = "by machine; no native speaker has read it yet"


def template(domain: Domain) -> Catalog:
    """All texts of a domain that are marked."""
    catalogue = Catalog(project="Instep", charset="utf-8")
    found_texts = extract_from_dir(
        str(ROOT), METHODS[domain], OPTIONS, KEYWORDS, directory_filter=is_searched
    )
    for file, _, text, _, context in sorted(found_texts, key=lambda row: (row[0], row[1])):
        if file not in NOT_FOR_VISITORS:
            catalogue.add(text, None, [(file, 1)], context=context)
    return catalogue


def is_searched(folder: str) -> bool:
    """True if a folder holds, or leads to, the public pages, what they share, answers, or email."""
    place = Path(folder).relative_to(ROOT)
    return any(place.is_relative_to(each) or each.is_relative_to(place) for each in SEARCHED)


def renewed(file: Path, language: str, texts: Catalog) -> Catalog:
    """The catalogue of a language, with these texts and the translations that it has of them."""
    if file.exists():
        with file.open("rb") as stream:
            catalogue = read_po(stream, locale=language)
    else:
        catalogue = Catalog(locale=language, last_translator=UNREAD, project="Instep", charset="utf-8")
    catalogue.update(texts, no_fuzzy_matching=True, update_creation_date=False)
    catalogue.obsolete.clear()
    catalogue.project, catalogue.version = "Instep", "help center"
    catalogue.header_comment = f"# The words of public pages of Instep ({language}), translated {UNREAD}.\n#"
    return catalogue


def main() -> None:
    for domain, languages in TRANSLATED.items():
        texts = template(domain)
        for language in languages:
            file = catalogue_file(language, domain)
            catalogue = renewed(file, language, texts)
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as stream:
                write_po(stream, catalogue, width=110, include_lineno=False)
            untranslated = sum(1 for entry in catalogue if entry.id and not entry.string)
            print(f"{language}: {len(catalogue)} {domain}, {untranslated} without a translation")


if __name__ == "__main__":
    main()
