"""An amount that the code gives with its unit is changed where articles state it, in their own unit."""

from dataclasses import replace

import pytest

from instep.writer import Article, Change, write
from instep.writer.facts.quantities import quantities_in
from tests.writer.conftest import Ask, diff_of, text_of


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("private static final Duration EARLY = Duration.ofMinutes(10);", ["EARLY 10 minutes"]),
        ("WINDOW = timedelta(days=60)", ["WINDOW 60 days"]),
        ("  CLOSE_AFTER = 4.days", ["CLOSE_AFTER 4 days"]),
        ("val still: Duration = 3.toDuration(DurationUnit.MINUTES)", ["still 3 minutes"]),
        ("public TimeSpan Keep { get; set; } = TimeSpan.FromDays(30);", ["Keep 30 days"]),
        ("const defaultTTL = 90 * 24 * time.Hour", ["defaultTTL 2160 hours"]),
        ("private val chunk = 10 * 1024 * 1024", ["chunk 10485760 bytes"]),
        ("const val MAX = 25L * 1024 * 1024", ["MAX 26214400 bytes"]),
        ("static let standstill: TimeInterval = 3 * 60", ["standstill 180 "]),
        ("scrapeInterval: 30s", ["scrapeInterval 30 seconds"]),
        ("cookies[:x] = { value: 1, expires_in: 15.minutes, path: '/' }", ["expires_in 15 minutes"]),
        (
            "return new Rest(MONDAY, Duration.ofHours(11), Duration.ofHours(10));",
            ["Rest 11 hours", "Rest 10 hours"],
        ),
        ("image: acme/server:3d", []),
        ("const KEEP_DAYS: i64 = 30;", []),
        ("x = y * 2", []),
    ],
)
def test_code_says_the_unit_of_an_amount_in_many_ways(line: str, expected: list[str]) -> None:
    quantities = quantities_in(line)
    assert [f"{quantity.name} {quantity.amount} {quantity.unit}" for quantity in quantities] == expected


SESSIONS = (
    "# Tokens and sessions\n\n"
    "Sign-in codes work for 10 minutes. After five wrong codes you wait 10 minutes.\n\n"
    "Tokens expire after 90 days. Guests are removed after 90 days.\n"
)


@pytest.mark.parametrize(
    ("path", "before", "after", "title", "expected"),
    [
        pytest.param(
            "login/code.go",
            "const codeTTL = 10 * time.Minute\nconst lockout = 10 * time.Minute\n",
            "const codeTTL = 15 * time.Minute\nconst lockout = 10 * time.Minute\n",
            "Sign-in codes work for 15 minutes",
            SESSIONS.replace("work for 10", "work for 15"),
            id="the sentence that speaks of the change",
        ),
        pytest.param(
            "token/create.go",
            "const defaultTTL = 90 * 24 * time.Hour\n",
            "const defaultTTL = 30 * 24 * time.Hour\n",
            "Tokens expire after 30 days",
            SESSIONS.replace("Tokens expire after 90", "Tokens expire after 30"),
            id="the topic of its file, where the name only says what is measured",
        ),
        pytest.param(
            "sync/crm.go",
            "const renewAfter = 90 * 24 * time.Hour\n",
            "const renewAfter = 30 * 24 * time.Hour\n",
            "Renew the connection with the CRM earlier",
            None,
            id="no sentence is about it",
        ),
    ],
)
def test_the_amount_of_one_thing_is_not_that_of_another(
    ask: Ask, path: str, before: str, after: str, title: str, expected: str | None
) -> None:
    assert (
        text_of(ask({path: (before, after)}, SESSIONS, title=title, name="Tokens and sessions")) == expected
    )


SLA = "# Response times\n\n| Priority | First reply |\n|---|---|\n| Urgent | 1 hour |\n| Normal | 8 hours |\n"
RAISED = (
    "# Plans\n\n| Plan | Price |\n|---|---|\n| Solo | $12 |\n| Team | $29 |\n\n"
    "The Team plan costs $29 a month for each seat.\n"
)
PLANS = "# Plans\n\n| | Solo | Team |\n|---|---|---|\n| Price | $12 | $29 |\n| Connections | 1 | 3 |\n"


@pytest.mark.parametrize(
    ("before", "after", "text", "expected"),
    [
        (
            "urgent:\n  first_reply_minutes: 60\nnormal:\n  first_reply_minutes: 480\n",
            "urgent:\n  first_reply_minutes: 30\nnormal:\n  first_reply_minutes: 480\n",
            SLA,
            SLA.replace("1 hour", "30 minutes"),
        ),
        (
            "solo:\n  price_cents: 1200\n  connections: 1\nteam:\n  price_cents: 2900\n  connections: 3\n",
            "solo:\n  price_cents: 1200\n  connections: 1\nteam:\n  price_cents: 3500\n  connections: 5\n",
            PLANS,
            PLANS.replace("$29", "$35").replace("| 3 |", "| 5 |"),
        ),
        (
            "solo:\n  price_cents: 1200\nteam:\n  price_cents: 2900\n",
            "solo:\n  price_cents: 1200\nteam:\n  price_cents: 3500\n",
            RAISED,
            RAISED.replace("$29", "$35"),
        ),
    ],
)  # fmt: skip
def test_minutes_become_hours_and_cents_become_money_in_the_column_or_row_of_their_owner(
    ask: Ask, before: str, after: str, text: str, expected: str
) -> None:
    name = text.split("\n")[0].strip("# ")
    assert text_of(ask({"config/plans.yml": (before, after)}, text, title=name, name=name)) == expected


LESSONS = "# Lessons\n\nEach lesson has 20 cards. A review has 20 cards.\n"
EXPENSES = "# Approving expenses\n\nExpenses above $100 need approval. The version 100.00 is old.\n"
FEES = "# Delivery fees\n\n| Zone | Express |\n|---|---|\n| A | €7.90 |\n| B | €9.90 |\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "title", "text", "expected"),
    [
        pytest.param(
            "core/config.kt", "const val CARDS_PER_LESSON = 20\n", "const val CARDS_PER_LESSON = 12\n",
            "Shorter lessons", LESSONS, LESSONS.replace("lesson has 20", "lesson has 12"),
            id="so many of one in another",
        ),
        pytest.param(
            "expenses/policy.py",
            'class Policy:\n    approval_threshold = Decimal("100.00")\n    is_open = True\n',
            'class Policy:\n    approval_threshold = Decimal("250.00")\n    is_open = True\n',
            "Approve expenses above 250", EXPENSES, EXPENSES.replace("$100", "$250"),
            id="money in a type of its own",
        ),
        pytest.param(
            "config/fees.yml", "  b:\n    standard: 4.90\n    express: 9.90\n",
            "  b:\n    standard: 4.90\n    express: 11.90\n", "Raise the express fee in zone B", FEES,
            FEES.replace("9.90", "11.90"), id="money by the name of its file",
        ),
    ],
)  # fmt: skip
def test_amounts_of_money_and_per_thing_are_known_by_the_code(
    ask: Ask, path: str, before: str, after: str, title: str, text: str, expected: str
) -> None:
    name = text.split("\n")[0].strip("# ")
    assert text_of(ask({path: (before, after)}, text, title=title, name=name)) == expected


def test_one_article_that_says_the_whole_name_of_an_amount_is_meant_by_it() -> None:
    """It need not be near to the change otherwise; two such articles may speak of different things."""
    name = "DEFAULT_PAYMENT_TERMS_DAYS"
    diff = diff_of(
        "billing/defaults.rb",
        f"module Billing\n  {name} = 30\nend\n",
        f"module Billing\n  {name} = 14\nend\n",
    )
    change = Change("Invoices are due after 14 days by default", None, diff)
    terms = Article("terms", "Terms", "# Payment terms\n\nInvoices are due 30 days after you send them.\n")
    trash = Article("trash", "Trash", "# Trash\n\nInvoices stay in the trash for 30 days.\n")
    reminders = Article("due", "Due", "# Reminders\n\nWe remind 7 days after the invoices are due.\n")

    (proposal,) = write(change, [reminders, trash, terms]).proposals

    assert (proposal.article_id, proposal.is_certain) == ("terms", False)
    assert proposal.text == terms.text.replace("30", "14")
    suppliers = replace(
        terms, id="suppliers", text=terms.text.replace("Invoices are", "Suppliers' invoices are")
    )
    assert not write(change, [reminders, trash, terms, suppliers]).proposals
