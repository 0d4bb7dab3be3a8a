"""Examples of articles that are code of the product go along with it."""

import pytest

from instep.writer import Article, Change, write
from tests.writer.conftest import Ask, diff_of

BEFORE = """\
type Labels = {
  'nav-label'?: string
  /**
   * @default 'Tenant label'
   */
  title?: string
}
"""
AFTER = BEFORE.replace("'Tenant label'", "'Filter by tenant'").replace(
    "  title?", "  'assign-button'?: string\n  title?"
)
SHOWN = "# Labels\n\n```ts\n" + "".join(f"    {line}\n" for line in BEFORE.splitlines()) + "```\n"


def test_an_example_that_is_a_piece_of_the_code_gets_its_lines_at_its_own_depth(ask: Ask) -> None:
    (proposal,) = ask({"src/types.ts": (BEFORE, AFTER)}, SHOWN).proposals
    expected = "".join(f"    {line}\n" for line in AFTER.splitlines())
    assert proposal.text == f"# Labels\n\n```ts\n{expected}```\n"
    assert "code of src/types.ts, line 4 in an example" in proposal.reason
    assert {evidence.file for evidence in proposal.evidence} == {"src/types.ts"}


def test_a_snippet_is_followed_line_by_line_whatever_its_quotation_marks(ask: Ask) -> None:
    before, after = 'requests.get("PING_URL")\n', 'requests.get("PING_URL", timeout=10)\n'
    (proposal,) = ask(
        {"snippets/python.txt": (before, after)}, "```\nrequests.get('PING_URL')\n```\n"
    ).proposals
    assert proposal.text == f"```\n{after}```\n"


def test_an_example_that_goes_on_keeps_its_comma(ask: Ask) -> None:
    before = '{\n  "name": "acme",\n  "page": "http://acme.dev/old"\n}\n'
    after = before.replace("acme.dev/old", "acme.dev/new")
    shown = "```json\n" + before.replace('old"', 'old",') + "```\n"
    report = ask({"web/manifest.json": (before, after)}, shown)
    assert report.proposals[0].text == shown.replace("/old", "/new")


def test_code_that_only_ends_like_an_example_adds_nothing_to_it(ask: Ask) -> None:
    before = (
        "class RackForm(Form):\n    width = NumberField()\n"
        "    site = SiteField()\n    comments = CommentField()\n"
    )
    after = before.replace("    comments", "    depth = NumberField(required=False)\n    comments")
    shown = "```python\nclass YourForm(Form):\n    site = SiteField()\n    comments = CommentField()\n```\n"
    assert ask({"src/forms.py": (before, after)}, shown).proposals == ()


@pytest.mark.parametrize(
    ("path", "before", "after", "shown"),
    [
        ("tests/types.ts", BEFORE, AFTER, SHOWN),
        ("src/types.ts", BEFORE, AFTER, SHOWN.replace("```", "")),
        ("src/types.ts", BEFORE, BEFORE.replace("'Tenant label'", "'http://evil.example'"), SHOWN),
        ("src/types.ts", BEFORE, BEFORE.replace("   * @default 'Tenant label'", "```"), SHOWN),
        ("src/types.ts", BEFORE, BEFORE.replace("Tenant label", "Tenant\u202e label"), SHOWN),
    ],
    ids=["a test alike", "no example", "an address", "the end of the example", "hidden"],
)
def test_other_code_stays_as_it_is(ask: Ask, path: str, before: str, after: str, shown: str) -> None:
    assert ask({path: (before, after)}, shown).proposals == ()


def test_what_only_goes_from_the_code_stays_in_the_example(ask: Ask) -> None:
    without_label = BEFORE.replace("  'nav-label'?: string\n", "")
    assert ask({"src/types.ts": (BEFORE, without_label)}, SHOWN).proposals == ()


def test_code_that_an_article_on_something_else_shows_stays_as_it_is() -> None:
    """It may show what the code once was. A snippet of the docs is itself what is shown."""
    articles = [
        Article("upgrade", "Upgrade to 2.0", SHOWN.replace("# Labels", "# Upgrade to 2.0")),
        Article("filters", "Filters", "# Filters\n\nThe `nav-label` of filters, and their title.\n"),
        Article("buttons", "Buttons", "# Buttons\n\nEach button has a label.\n"),
    ]
    after = BEFORE.replace("  title?", "  'assign-button'?: string\n  title?")
    for path, expected in (("src/filters/types.ts", []), ("snippets/types.txt", ["upgrade"])):
        change = Change("Refactor the filters", None, diff_of(path, BEFORE, after))
        assert [proposal.article_id for proposal in write(change, articles).proposals] == expected


@pytest.mark.parametrize(("name", "is_extended"), [("PluginConfig", True), ("OtherConfig", False)])
def test_a_type_that_an_article_quotes_by_its_name_gets_a_new_field(name: str, is_extended: bool) -> None:
    diff = (
        "diff --git a/src/types.ts b/src/types.ts\n--- a/src/types.ts\n+++ b/src/types.ts\n"
        "@@ -121,4 +121,8 @@ export type PluginConfig<Types = unknown> = {\n"
        "   hasAccess?: (\n     user: Types extends { user: unknown } ? Types : User,\n   ) => boolean\n"
        "+  /**\n+   * Opt out of access control\n+   */\n+  isOpen?: boolean\n }\n"
    )
    text = (
        f"# Access of tenants\n\n```ts\ntype {name}<Types = unknown> = {{\n  hasAccess?: (\n    user: User,\n"
        "  ) => boolean\n}\n```\n"
    )
    others = [Article(f"other-{n}", f"Page {n}", f"# Page {n}\n\nNothing here.\n") for n in range(8)]

    report = write(
        Change("Opt out of access of tenants", None, diff), [Article("guide", "Access", text), *others]
    )

    field = "  /**\n   * Opt out of access control\n   */\n  isOpen?: boolean\n"
    expected = [text.replace("  ) => boolean\n", f"  ) => boolean\n{field}")] if is_extended else []
    assert [proposal.text for proposal in report.proposals] == expected
