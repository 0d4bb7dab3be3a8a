"""A new member of a set gets its place in the sentence that lists the others, in the form of that sentence."""

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
    ("path", "before", "line", "addition", "text", "expected"),
    [
        (
            "web/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "teams", label: "Microsoft Teams" },\n',
            "Choose **Email**, **Slack** or **Webhook**.",
            "Choose **Email**, **Slack**, **Microsoft Teams** or **Webhook**.",
        ),
        (
            "forms/fields.py", FIELDS, '_("Date")\n', '    FILE_UPLOAD = "file_upload", _("File upload")\n',
            "The types are short text, checkbox and date.",
            "The types are short text, checkbox, date and file upload.",
        ),
        (
            "Themes.cs", THEMES, "Sepia,\n", "    System,\n",
            "There are three themes: *Light*, *Dark*, and *Sepia*.",
            "There are four themes: *Light*, *Dark*, *Sepia*, and *System*.",
        ),
        (
            "formats.rs", 'let pictures = ["png", "jpeg", "gif"];\n', '"gif"', ', "webp"',
            "You can add PNG, JPEG or GIF pictures. Avatars are PNG or JPEG.",
            "You can add PNG, JPEG, GIF or WebP pictures. Avatars are PNG or JPEG.",
        ),
        ("web/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "sms", label: "SMS" },\n',
         "Guests can only use Email, Slack and Webhook.", None),
        ("web/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "sms", label: "SMS" },\n',
         "Channels such as Email, Slack and Webhook.", None),
        ("web/channels.ts", CHANNELS, '"Slack" },\n', '  { id: "sms", label: "SMS" },\n',
         "Use Email or Slack.", None),
    ],
)  # fmt: skip
def test_a_new_member_is_listed_where_a_sentence_lists_the_others(
    ask: Ask, path: str, before: str, line: str, addition: str, text: str, expected: str | None
) -> None:
    files = {path: (before, before.replace(line, line + addition))}

    report = ask(
        files, f"# Choices\n\n{text}\n", title="Add a choice: WebP, types and channels", name="Choices"
    )

    assert text_of(report) == (expected and f"# Choices\n\n{expected}\n")
    assert not any(proposal.is_certain for proposal in report.proposals)
