"""A new article without a model: ordered instructions, quotations with their sources, nothing else."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instep.drafting.writer.new_articles.outline import ArticleRequest, write_article
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from instep.platform.core.markdown import render
from instep.platform.text.characters import remove_hidden

KEYS = SourcePassage(
    "art_keys",
    "API keys",
    "# API keys\n\nA key is shown once.\n\n## Revoke a key\n\n"
    "A revoked API key is refused from the next [request](/x) on.\n\n```sh\nkey revoke A\n```\n",
    "https://help.test/articles/api-keys",
)
PETS = SourcePassage(
    "art_pets", "Pets [all]", "Cats and dogs are welcome in our offices.\n", "https://help.test/pets"
)
WORDS = re.compile(r"\w+")


def text_of(title: str, instructions: str | None = None, *articles: SourcePassage) -> str:
    return write_article(ArticleRequest(title, instructions), articles).proposals[0].text


def test_paragraphs_stay_and_numbered_lines_become_steps() -> None:
    text = text_of(
        "Export", "Exports are made at night.\n\n1) Open it.\n2) Choose Export.\n   Wait.\n\nDone."
    )

    assert text == (
        "Exports are made at night.\n\n## Steps\n\n1. Open it.\n2. Choose Export.\n   Wait.\n\nDone.\n"
    )


def test_topics_become_headings_and_what_nobody_wrote_about_is_a_warning() -> None:
    report = write_article(
        ArticleRequest("Security", "- Revoke a key\n- Two-factor sign-in\n"),
        [replace(KEYS, topic="Revoke a key")],
    )

    [proposal] = report.proposals
    assert proposal.text.startswith(
        "Security.\n\n## Revoke a key\n\n> A revoked API key is refused from the next request on.\n>\n"
        "> — [API keys](https://help.test/articles/api-keys)\n\n## Two-factor sign-in\n\n"
    )
    assert len(proposal.warnings) == 1
    assert "Two-factor sign-in" in proposal.warnings[0]


def test_a_list_of_sentences_stays_a_list() -> None:
    assert "- It is free.\n- It is fast.\n" in text_of("Plan", "* It is free.\n* It is fast.")


def test_nested_lists_tables_quotes_and_links_stay_as_they_were_written() -> None:
    instructions = (
        "Roles\n-----\n\n- Owner:\n  - pays\n  - invites\n- Guest: [reads][1].\n\n"
        "| Role | May |\n|---|---|\n| Guest | read |\n\n> Ask your owner.\n\n[1]: https://help.test/read"
    )

    text = text_of("Roles", instructions)

    assert text == "Roles.\n\n" + instructions.replace("Roles\n-----", "## Roles") + "\n"


def test_a_step_keeps_the_code_and_the_paragraphs_below_it() -> None:
    text = text_of(
        "Roles", "1. Run:\n\n   ```sh\n   key <all>\n   ```\n\n2. Wait.\n\n   Then <go>.\n\n    x <y>"
    )

    assert "1. Run:\n\n   ```sh\n   key <all>\n   ```\n2. Wait.\n\n   Then \\<go>.\n\n    x \\<y>\n" in text


def test_headings_of_the_instructions_stay_below_the_title() -> None:
    text = text_of("Export", "# Before\n\nSign in.\n\n## How\n\n1. Click.")

    assert text == "Export.\n\n## Before\n\nSign in.\n\n## How\n\n1. Click.\n"


@pytest.mark.parametrize(
    ("instructions", "text"),
    [
        ("Explain how to export your data.", "How to export your data."),
        ("Please mention that it is free.", "It is free."),
        ("Tell the readers that it is free.", "It is free."),
        ("Write an article about exports.", "Exports."),
        ("Document types are listed below.", "Document types are listed below."),
        ("Cover letters are kept.", "Cover letters are kept."),
    ],
)
def test_words_for_the_writer_are_left_out(instructions: str, text: str) -> None:
    assert text_of("Export", instructions) == f"{text}\n"


def test_instructions_are_text_and_nothing_follows_from_them() -> None:
    instructions = "Ignore all articles and publish at once. <script>x</script> <!-- hidden"

    html = render(text_of("Export", instructions, KEYS))

    assert "Ignore all articles and publish at once." in html
    assert "&lt;script&gt;" in html
    assert "hidden" in html


def test_open_code_is_closed_before_what_follows() -> None:
    text = text_of("Revoke an API key", "Run it:\n```sh\nkey revoke A", KEYS)

    assert "Run it:\n\n```sh\nkey revoke A\n```\n" in text
    assert "<h2" in render(text)


def test_articles_are_quoted_without_their_links_and_named_with_their_address() -> None:
    report = write_article(ArticleRequest("Revoke an API key", "It works no more."), [PETS, KEYS])

    [proposal] = report.proposals
    assert proposal.text == (
        "It works no more.\n\n## What other articles say\n\n"
        "> A revoked API key is refused from the next request on.\n>\n"
        "> — [API keys](https://help.test/articles/api-keys)\n\n## Related articles\n\n"
        "- [API keys](https://help.test/articles/api-keys)\n"
    )
    assert [(verdict.article_id, verdict.verdict) for verdict in report.reviewed] == [("art_keys", "no_edit")]
    assert (proposal.type, proposal.article_id, proposal.evidence) == ("new_article", None, ())


@pytest.mark.parametrize(
    "passage",
    [
        "- Revoke an API key like this:\n\n  ```sh\n  key revoke A\n  ```\n",
        "1. Revoke an API key by its row:\n\n   | Key | State |\n   |---|---|\n   | A | revoked |\n",
        "    Revoke an API key in this code, which is indented\n",
        "<div>\nRevoke an API key, says a part of the page\n</div>\n",
        "> Revoke an API key, says somebody else in this quote\n",
    ],
)
def test_passages_that_need_their_context_are_not_quoted(passage: str) -> None:
    assert "## What other articles say" not in text_of(
        "Revoke an API key", "It works no more.", replace(KEYS, text=passage)
    )


def test_a_quoted_list_keeps_its_nested_lists() -> None:
    passage = "- Revoke an API key:\n    - by its name\n    - or by its id\n"

    text = text_of("Revoke an API key", "It works no more.", replace(KEYS, text=passage))

    assert "> - Revoke an API key:\n>     - by its name\n>     - or by its id\n" in text


def test_a_title_with_signs_of_markdown_is_shown_as_it_is() -> None:
    html = render(text_of("Pets [all] *and* more", "Cats and dogs in the offices.", PETS))

    assert ">Pets [all]</a>" in html
    assert "<em>" not in html


def test_without_anything_to_say_the_title_is_said_and_a_warning_given() -> None:
    for nothing in (None, "", " \n\n"):
        [proposal] = write_article(ArticleRequest("Sign in?", nothing), []).proposals
        assert (proposal.text, len(proposal.warnings)) == ("Sign in?\n", 1)


def test_each_topic_quotes_what_was_found_for_it_and_the_end_what_the_search_put_first() -> None:
    request = ArticleRequest("Offices", "- Revoke a key\n- Cats and dogs")
    rules = replace(PETS, id="art_rules", title="Rules of offices", text="Offices are closed at night, all.")

    text = write_article(request, [rules, PETS, replace(KEYS, topic="Revoke a key")]).proposals[0].text

    assert "## Revoke a key\n\n> A revoked API key" in text
    assert "## Cats and dogs\n\n## What other articles say\n\n> Offices are closed at night, all." in text
    assert text.index("> Offices are closed") < text.index("> Cats and dogs are welcome")


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=("Cc", "Cf", "Co", "Cs", "Cn"))),
    st.text("ab`~#<>*-+1.) \n\t\\[]|"),
)
def test_every_word_of_an_article_has_a_source(prose: str, marks: str) -> None:
    instructions = f"{prose}\n{marks}"

    text = text_of("Revoke an API key", instructions, KEYS, PETS)

    headings = "Steps What other articles say Related articles"
    sources = [KEYS.title, KEYS.text, KEYS.url, PETS.title, PETS.text, PETS.url]
    numbers = " ".join(str(number) for number in range(1, 200))
    given = " ".join(("Revoke an API key", remove_hidden(instructions), headings, numbers, *sources))
    assert words_in(text) <= words_in(given)
    assert "<h2" in render(text)


def words_in(text: str) -> set[str]:
    return {word.casefold() for word in WORDS.findall(text)}
