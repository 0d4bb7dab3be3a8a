"""A new member of a set gets its place in the sentence that lists the others, in that sentence's form."""

import pytest

from tests.writer.conftest import Ask, text_of

CHANNELS = (
    'export const CHANNELS = [\n  { id: "email", label: "Email" },\n  { id: "slack", label: "Slack" },\n'
    '  { id: "webhook", label: "Webhook" },\n];\n'
)
FIELDS = (
    'class Field(TextChoices):\n    SHORT_TEXT = "short_text", _("Short text")\n'
    '    CHECKBOX = "checkbox", _("Checkbox")\n    DATE = "date", _("Date")\n'
)
THEMES = "enum Theme\n{\n    Light,\n    Dark,\n    Sepia,\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "line", "addition", "title", "text", "expected"),
    [
        (
            "alerts/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "teams", label: "Microsoft Teams" },\n',
            "Send alerts to Microsoft Teams",
            "Choose the channel of your alerts: **Email**, **Slack** or **Webhook**.",
            "Choose the channel of your alerts: **Email**, **Slack**, **Microsoft Teams** or **Webhook**.",
        ),
        (
            "forms/fields.py", FIELDS, '_("Date")\n', '    FILE_UPLOAD = "file_upload", _("File upload")\n',
            "Add file uploads to the fields of forms",
            "The fields of forms are short text, checkbox and date.",
            "The fields of forms are short text, checkbox, date and file upload.",
        ),
        (
            "themes/Theme.cs", THEMES, "Sepia,\n", "    System,\n",
            "Add the setting System to the themes",
            "There are three themes: *Light*, *Dark*, and *Sepia*.",
            "There are four themes: *Light*, *Dark*, *Sepia*, and *System*.",
        ),
        (
            "cards/pictures.rs", 'matches!(kind, "png" | "jpg" | "jpeg" | "gif")\n', '"gif"', ' | "webp"',
            "Add WebP pictures to cards",
            "You can add PNG, JPEG or GIF pictures to cards. Avatars are PNG or JPEG.",
            "You can add PNG, JPEG, GIF or WebP pictures to cards. Avatars are PNG or JPEG.",
        ),
        (
            "app/webhook_event.rb", "TYPES = %w[invoice.created invoice.paid invoice.overdue].freeze\n",
            "overdue", " invoice.voided", "Send an event when an invoice is voided",
            "Events are `invoice.created`, `invoice.paid` and `invoice.overdue`.",
            "Events are `invoice.created`, `invoice.paid`, `invoice.overdue` and `invoice.voided`.",
        ),
        (
            "alerts/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "sms", label: "SMS" },\n',
            "Send alerts to SMS", "Alerts of guests only go to Email, Slack and Webhook.", None,
        ),
        (
            "alerts/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "sms", label: "SMS" },\n',
            "Send alerts to SMS", "Alerts go to channels such as Email, Slack and Webhook.", None,
        ),
        (
            "alerts/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "sms", label: "SMS" },\n',
            "Send alerts to SMS", "Alerts go to Email and Slack.", None,
        ),
    ],
)  # fmt: skip
def test_a_new_member_is_listed_where_a_sentence_lists_the_others(
    ask: Ask, path: str, before: str, line: str, addition: str, title: str, text: str, expected: str | None
) -> None:
    name = path.split("/")[0].capitalize()
    files = {path: (before, before.replace(line, line + addition))}

    report = ask(files, f"# {name}\n\n{text}\n", title=title, name=name)

    assert text_of(report) == (expected and f"# {name}\n\n{expected}\n")
    assert not any(proposal.is_certain for proposal in report.proposals)


@pytest.mark.parametrize(
    ("path", "before", "removed", "text", "expected"),
    [
        (
            "cards/kinds.rb", "KINDS = %w[png jpg gif].freeze\n", " gif",
            "Cards take PNG, JPG and GIF pictures, and no others.",
            "Cards take PNG and JPG pictures, and no others.",
        ),
        (
            "alerts/channels.ts", CHANNELS, '  { id: "email", label: "Email" },\n',
            "Alerts go to channels such as **Email**, **Slack** or **Webhook**.",
            "Alerts go to channels such as **Slack** or **Webhook**.",
        ),
        (
            "themes/Theme.cs", THEMES.replace("    Dark,\n", "    Dark,\n    Dim,\n"), "    Dim,\n",
            "There are four themes: *Light*, *Dark*, *Dim*, and *Sepia*.",
            "There are three themes: *Light*, *Dark*, and *Sepia*.",
        ),
        (
            "themes/Theme.kt", THEMES.replace("Sepia,", "Sepia;"), ",\n    Sepia",
            "Choose *Light*, *Dark* or *Sepia*.", "Choose *Light* or *Dark*.",
        ),
        (
            "themes/Theme.cs", THEMES.replace("    Dark,\n", "    Dark,\n    Dim,\n"), "    Dim,\n",
            "Only Light, Dark and Dim have a border.", None,
        ),
    ],
)  # fmt: skip
def test_a_member_that_is_gone_leaves_the_sentence_that_lists_it(
    ask: Ask, path: str, before: str, removed: str, text: str, expected: str | None
) -> None:
    name = path.split("/")[0].capitalize()
    files = {path: (before, before.replace(removed, ""))}

    report = ask(files, f"# {name}\n\n{text}\n", title=f"Remove one of the {name.lower()}", name=name)

    assert text_of(report) == (expected and f"# {name}\n\n{expected}\n")
    assert not any(proposal.is_certain for proposal in report.proposals)


HELP = "cmd.Option('{}', null, REQUIRED, 'Output format of the report. Must be \"table\"{} or \"text\".')\n"


def test_a_help_text_that_lists_members_tells_whose_list_gets_the_new_one(ask: Ask) -> None:
    """Another option of the article has the new member already, and one with the same members does not."""
    files = {"cli/report.php": (HELP.format("format", ""), HELP.format("format", ', "json"'))}
    text = (
        '# Report\n\n* **--format:** Output format of the report. Must be "table" (default) or "text".\n'
        "* **--colors:** Colors of table or text.\n* **--input:** A `json` file.\n"
    )

    report = ask(files, text, "Add json to the output formats of the report", "Report")

    assert text_of(report) == text.replace('"table" (default) or', '"table" (default), "json" or')


def test_proper_names_are_listed_in_articles_that_are_only_likely(ask: Ask) -> None:
    names = [("slack", "Slack"), ("zapier", "Zapier"), ("airtable", "Airtable")]
    lines = [f'  {{ key: "{key}", name: "{name}" }},\n' for key, name in names]
    new = [*lines[:2], '  { key: "notion", name: "Notion" },\n', *lines[2:]]
    files = {
        "src/registry.ts": (
            f"export const all = [\n{''.join(lines)}];\n",
            f"export const all = [\n{''.join(new)}];\n",
        )
    }
    text = "# Connected apps\n\nLetterbox works with Slack, Zapier and Airtable.\n"

    report = ask(files, text, "Connect Notion", "Connected apps")

    assert text_of(report) == text.replace("Zapier and", "Zapier, Notion and")
