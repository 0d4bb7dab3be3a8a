"""The catalogs of `instep/platform/web/locales`: complete, up to date with the texts, and safe in a page."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from jinja2 import nodes

from instep.interfaces.site.rendering import pages_in
from instep.platform.web.catalogues import Domain, catalogue_file, catalogue_of, language_name
from scripts.messages import NOT_FOR_VISITORS, ROOT, TRANSLATED, UNREAD, template

TEMPLATES = ROOT / "instep" / "interfaces" / "site" / "templates"
CATALOGUES = [(language, domain) for domain, languages in TRANSLATED.items() for language in languages]
PLACEHOLDER = re.compile(r"%\((\w+)\)s|(%)(?!\()")
TAG = re.compile(r"<[^>]*>")
# Parts of templates that are not text: tags with their attributes, comments, character references.
NO_TEXT = re.compile(r"<!?[a-zA-Z/][^>]*>|&\w+;", re.DOTALL)
READ_ATTRIBUTE = re.compile(r'\b(?:alt|aria-label|content|placeholder|title)="([^"]*)"')
LETTERS = re.compile(r"[^\W\d_]{2,}")
# Names, values that HTML defines, and class names in a block.
NO_WORDS = {
    "summary_large_image",
    "with-contents",
    "with-tree",
    "wide",
    *("Claude Code", "Cursor", "VS Code, GitHub Copilot", "ChatGPT, Claude"),
    "Atom",
    "JSON Feed",
    "noindex",
    "width=device-width, initial-scale=1",
    "utf-8",
}


def catalogue(language: str, domain: Domain) -> Catalog:
    with catalogue_file(language, domain).open("rb") as file:
        return read_po(file, locale=language)


def texts_in(texts: Catalog) -> set[tuple[Any, ...]]:
    """The texts, each with the files that contain it."""
    return {(entry.id, *sorted({file for file, _ in entry.locations})) for entry in texts if entry.id}


def translations(entry: Message) -> list[str]:
    return [entry.string] if isinstance(entry.string, str) else list(entry.string or ())


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_a_catalogue_has_exactly_the_texts_that_are_marked(language: str, domain: Domain) -> None:
    marked, known = texts_in(template(domain)), texts_in(catalogue(language, domain))

    assert known == marked, "run `make messages`, then translate what is new"


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_every_text_is_translated_in_all_forms_of_the_language(language: str, domain: Domain) -> None:
    whole = catalogue(language, domain)
    forms = {"ar": 6, "ja": 1, "zh": 1}.get(language, 2)

    assert whole.num_plurals == forms
    for entry in whole:
        texts = translations(entry)
        assert all(texts), f"{entry.id} has no translation"
        assert not entry.fuzzy, f"{entry.id} is only guessed"
        assert len(texts) == (forms if isinstance(entry.id, tuple) else 1)


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_a_translation_has_the_placeholders_and_the_tags_of_its_text(language: str, domain: Domain) -> None:
    for entry in catalogue(language, domain):
        source: str = entry.id if isinstance(entry.id, str) else entry.id[-1]
        for text in translations(entry) if entry.id else ():
            assert Counter(PLACEHOLDER.findall(text)) == Counter(PLACEHOLDER.findall(source)), text
            assert Counter(TAG.findall(text)) == Counter(TAG.findall(source)), text
            # The text may be used in an attribute.
            assert '"' not in TAG.sub("", text)
            assert "<" not in TAG.sub("", text)


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_a_catalogue_says_who_has_translated_it(language: str, domain: Domain) -> None:
    assert catalogue(language, domain).last_translator == UNREAD


def test_every_text_of_a_template_is_marked() -> None:
    places = [
        f"{file.name}: {text}"
        for file in sorted(TEMPLATES.glob("*.html"))
        if str(file.relative_to(ROOT)) not in NOT_FOR_VISITORS
        for text in unmarked_texts(file)
    ]

    assert not places, "\n".join(places)


def unmarked_texts(file: Path) -> list[str]:
    """Words of a template that bypass the catalog."""
    tree = pages_in("en").environment.parse(file.read_text())
    # Placeholders for inserted values keep tags intact that expressions cut in two.
    source = "".join(
        node.data if isinstance(node, nodes.TemplateData) else "\N{OBJECT REPLACEMENT CHARACTER}"
        for output in tree.find_all(nodes.Output)
        for node in output.nodes
    )
    texts = [*NO_TEXT.sub("\n", source).splitlines(), *READ_ATTRIBUTE.findall(source), *literals(tree)]
    cleaned = (text.replace("\N{OBJECT REPLACEMENT CHARACTER}", " ").strip(" ()·:") for text in texts)
    return [text for text in cleaned if LETTERS.search(text) and text not in NO_WORDS]


def literals(tree: nodes.Template) -> list[str]:
    """Capitalized words in expressions outside of calls to the catalog."""
    marked = {
        id(argument)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name in ("_", "gettext", "ngettext")
        for argument in call.args
    }
    return [
        constant.value
        for constant in tree.find_all(nodes.Const)
        if id(constant) not in marked
        and isinstance(constant.value, str)
        and re.match(r"[A-Z][a-z]", constant.value)
    ]


def test_a_text_that_is_not_marked_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        '<p title="{{ _("Fine") }}">{{ _("Fine") }}</p>Loose<a title="Hidden">{{ "Chosen" if a else b }}</a>'
    )

    assert unmarked_texts(file) == ["Loose", "Hidden", "Chosen"]


@pytest.mark.parametrize(
    ("locale", "day", "number"),
    [
        ("en", "November 3, 2026", "12,345"),
        ("en-GB", "3 November 2026", "12,345"),
        ("de-AT", "3. November 2026", "12.345"),
        ("pt-BR", "3 de novembro de 2026", "12.345"),
        ("ja", "2026年11月3日", "12,345"),
        ("ar", "3 نوفمبر 2026", "12,345"),
        # Without a catalog the words are English, and so are dates.
        ("nl", "November 3, 2026", "12,345"),
        ("de-x-odd", "3. November 2026", "12.345"),
    ],
)
def test_dates_and_numbers_are_written_as_the_locale_does(locale: str, day: str, number: str) -> None:
    words = catalogue_of(locale)

    assert words.date(datetime(2026, 11, 3, 23, 30, tzinfo=UTC)) == day
    assert words.number(12345) == number


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "لا مقالات (0)"),
        (1, "مقالة واحدة (1)"),
        (2, "مقالتان (2)"),
        (3, "كل المقالات: 3 مقالات"),
        (11, "كل المقالات: 11 مقالة"),
        (100, "كل المقالات: 100 مقالة"),
    ],
)
def test_arabic_has_six_forms_of_a_number(count: int, text: str) -> None:
    template = pages_in("ar").environment.from_string(
        '{{ ngettext("All %(count)s article", "All %(count)s articles", n, count=n) }}'
    )

    assert template.render(n=count) == text


def test_a_language_is_named_in_itself() -> None:
    names = [language_name(locale) for locale in ("de", "pt-BR", "ja", "xx-unknown")]

    assert names == ["Deutsch", "Português (Brasil)", "日本語", "xx-unknown"]
