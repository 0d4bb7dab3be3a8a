"""What the code rewords in a help text changes where an article says it in nearly the same words."""

import pytest

from tests.writer.conftest import Ask, text_of

CODE = (
    "def add_arguments(parser):\n"
    '    parser.add_argument("--keep-guests", help="{}")\n'
    '    parser.add_argument("--keep-staff", help="Keep the badges of staff until the end of the day.")\n'
)
OLD = "During an event with doors, keep the badges of all guests until the end of the day (see also EVENT_X)."
NEW = "Keep the badges of guests until the end of the event. Lost badges are blocked. (see also EVENT_X)."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "- **--keep-guests:** During an event with `doors`, keep the badges of all guests\n"
            "  until the end of the day. See also EVENT_X.\n"
            "- **--keep-staff:** Keep the badges of staff until the end of the day.",
            "- **--keep-guests:** Keep the badges of guests\n"
            "  until the end of the event. Lost badges are blocked. See also EVENT_X.\n"
            "- **--keep-staff:** Keep the badges of staff until the end of the day.",
        ),
        # The option is not named, the text is another one, or a part of it is missing.
        (
            "During an event with `doors`, keep the badges of all guests until the end of the day. "
            "See also EVENT_X.",
            None,
        ),
        ("- **--keep-guests:** During an event with doors, keep the lists of all guests.", None),
        ("- **--keep-guests:** During an event, keep the badges of all guests until the day ends.", None),
    ],
)  # fmt: skip
def test_the_help_of_an_option_changes_where_an_article_nearly_repeats_it(
    ask: Ask, text: str, expected: str | None
) -> None:
    files = {"badges/cli.py": (CODE.format(OLD), CODE.format(NEW))}

    report = ask(files, f"# Keep badges of guests\n\n{text}\n", "Keep the badges of guests", "Keep badges")

    assert text_of(report) == (expected and f"# Keep badges of guests\n\n{expected}\n")
    assert not any(proposal.is_certain for proposal in report.proposals)


def test_of_texts_that_differ_in_a_word_the_nearest_changes(ask: Ask) -> None:
    line = 'register("{0}", text="Maximum number of {0} to keep for each {1}");\n'
    before = line.format("rooms", "user") + line.format("desks", "user")
    files = {"core/limits.js": (before, line.format("rooms", "team") + line.format("desks", "user"))}
    item = "- The maximum number of {} to keep for each {}.\n"
    text = "# Keep rooms\n\n" + item.format("desks", "user") + item.format("`rooms`", "user")

    report = ask(files, text, "Keep rooms for each team", "Keep rooms")

    assert text_of(report) == text.removesuffix("user.\n") + "team.\n"


def test_nothing_is_put_before_a_text_that_an_article_nearly_repeats(ask: Ask) -> None:
    new = "Since version two, " + OLD.replace("of the day", "of the event")
    files = {"badges/cli.py": (CODE.format(OLD), CODE.format(new))}
    text = (
        "# Keep badges of guests\n\n"
        "- **--keep-guests:** During an event with `doors`, keep the badges of all guests\n"
        "  until the end of the day. See also EVENT_X.\n"
    )

    report = ask(files, text, "Keep the badges of guests", "Keep badges")

    assert text_of(report) is None
