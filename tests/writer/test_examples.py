"""Examples of articles that are code of the product go along with it."""

import pytest

from tests.writer.conftest import Ask

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
