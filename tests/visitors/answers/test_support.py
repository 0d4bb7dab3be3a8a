"""A model's sentence is kept if a passage supports it in the same or similar words."""

import pytest

from instep.visitors.answers.support import refusal_of

PASSAGE = """\
Backups Nightly
Backups run at 02:00 UTC and are kept for 30 days. Set `BACKUP_HOUR` to another hour.
A backup holds articles and settings. It does not hold uploaded files.
Choose Restore in the menu Backups to bring one back. Restoring never deletes newer articles.
"""
GERMAN = "Sicherungen laufen um 02:00 Uhr. Hochgeladene Dateien sind nicht enthalten."
JAPANESE = "バックアップは毎晩実行されます。アップロードしたファイルは含まれません。"


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        (PASSAGE, "Backups run at 02:00 UTC and are kept for 30 days."),
        (PASSAGE, "A backup is kept for 30 days."),
        (PASSAGE, "To choose another hour, set `BACKUP_HOUR`."),
        (PASSAGE, "It does not hold uploaded files."),
        (PASSAGE, "No, it does not hold uploaded files."),
        (PASSAGE, "Yes, backups run at 02:00 UTC."),
        (PASSAGE, "Restoring a backup doesn't delete newer articles."),
        (PASSAGE, "Choose **Restore** in the Backups menu."),
        (PASSAGE, "Look at the menu Backups instead, and choose Restore."),
        ("Run it with `cp`: it works at once, and nobody waits for it.", "Run `cp`; it works at once."),
        (
            "Take the archive. Don't change anything in it.",
            "Take the archive and don't change anything in it.",
        ),
        ("| `draft` | no | created |", "No, a `draft` is not created."),
        ("Nobody deletes newer articles.", "It does not delete newer articles."),
        ("A job installs nothing: run `cp` as root.", "In the job, run `cp` as root."),
        (PASSAGE, "If you're choosing another hour, set `BACKUP_HOUR`."),
        ("A payload must not exceed 3MB.", "No, a payload must not exceed 3MB."),
        ("Display the banner on each page.", "It displays the banner on each page."),
        ("Restart the server if the port is not open yet.", "Restart the server."),
        (
            "Run it if a file has been changed `include` or if no file has been changed `exclude`.",
            "Run it with `include` for files that have been changed, and `exclude` for those that have not.",
        ),
        ("The report opens, which no viewer can edit, in a browser.", "The report opens in a browser."),
        ("The range is 0-100.", "The range is 0-100."),
        ("Use a color such as #0b5cad.", "Use a color such as `#0b5cad`."),
        (GERMAN, "Hochgeladene Dateien sind nicht enthalten."),
        (JAPANESE, "バックアップは毎晩実行されます。"),
    ],
)
def test_sentences_of_the_passage_are_supported(passage: str, sentence: str) -> None:
    assert refusal_of("", passage, sentence.replace("**", "")) == ""


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        (PASSAGE, "Backups run at 03:00 UTC."),
        (PASSAGE, "Backups are kept for 90 days."),
        (PASSAGE, "Set `BACKUP_MINUTE` to another hour."),
        (PASSAGE, "A backup holds uploaded files."),
        (PASSAGE, "A backup does not hold articles and settings."),
        (PASSAGE, "Restoring deletes newer articles."),
        (PASSAGE, "Backups never run at 02:00 UTC."),
        (PASSAGE, "Choose Restore in the menu Backups of Mallory."),
        (PASSAGE, "Remove a backup in the menu Backups."),
        (PASSAGE, "Backups cost extra."),
        (PASSAGE, "Yes, backups cost extra."),
        (PASSAGE, "Yes, it holds uploaded files."),
        (PASSAGE, "Yes."),
        ("It works at once, and nobody waits for it.", "It doesn't work at once."),
        ("Take the archive. Don't change anything in it.", "Take the archive and change anything in it."),
        ("A payload must not exceed 3MB. Tasks run for 5 s.", "A payload must not exceed 5MB."),
        (PASSAGE, "Choose Restore in the menu Lamas to bring one back."),
        (PASSAGE, "Backups run at 02:00 UTC and are kept for 30 weeks."),
        (GERMAN, "Hochgeladene Bilder sind nicht enthalten."),
        (PASSAGE, "Articles are kept for uploaded hours."),
        ("It does not work when offline.", "It works when offline."),
        ("Backups run if the disk is not full yet.", "Backups run if the disk is full."),
        ("Keys are not renewed when the owner leaves.", "Keys are renewed when the owner leaves."),
        ("Keys are renewed when the owner leaves.", "Keys are not renewed when the owner leaves."),
        ("Display the banner on each page.", "It displays the footer on each page."),
        (PASSAGE, "It is."),
        (PASSAGE, ""),
        ("", "Backups run at 02:00 UTC."),
        (GERMAN, "Hochgeladene Dateien sind enthalten."),
        (JAPANESE, "バックアップは毎週実行されるため料金がかかります。"),
    ],
)
def test_other_sentences_are_not_supported(passage: str, sentence: str) -> None:
    assert refusal_of("", passage, sentence)


def test_text_around_a_quote_may_support_a_sentence() -> None:
    sentence = "Restore from the menu Backups: it holds articles, settings, files and pictures."
    holds = "It holds articles. It holds settings. It holds files. It holds pictures."
    passage = f"Choose Restore in the menu Backups. {holds}"

    assert refusal_of("", passage, sentence)
    assert not refusal_of("", passage, sentence, quoted=passage)
    assert refusal_of("", passage, sentence.replace("settings", "videos"), quoted=passage)


def test_heading_supports_the_text_below_it() -> None:
    heading, passage = "Clone a repository Private mode", "Type the address. Choose Clone. Enter the token."
    sentence = "In private mode, choose Clone to clone the repository."

    assert refusal_of("", passage, sentence)
    assert not refusal_of(heading, passage, sentence)
    assert refusal_of(heading, passage, sentence.replace("private", "public"))


BROWSERS = "The latest versions of these browsers are known to work:\nFirefox\nChrome\nSafari\nEdge"


@pytest.mark.parametrize(
    ("heading", "passage", "sentence", "holds"),
    [
        (
            "Browsers",
            BROWSERS,
            "The latest versions of Firefox, Chrome, Safari and Edge are known to work.",
            True,
        ),
        ("Browsers", BROWSERS, "The latest versions of Firefox and Opera are known to work.", False),
        ("Not compatible with", "Internet Explorer", "It is not compatible with Internet Explorer.", True),
        ("Not compatible with", "Internet Explorer", "It is compatible with Internet Explorer.", False),
        ("Why it is not sent", "Press Send.", "Press Send.", True),
    ],
)
def test_short_items_are_said_with_what_is_above_them(
    heading: str, passage: str, sentence: str, holds: bool
) -> None:
    assert (refusal_of(heading, passage, sentence) == "") is holds


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Backups cost extra.", "cost, extra"),
        ("Backups run at 03:00 UTC.", "has no 03"),
        ("A backup holds uploaded files.", "yes or no"),
        ("Articles are kept for uploaded hours.", "two neighboring sentences"),
    ],
)
def test_a_refusal_says_to_the_model_what_it_lacks(sentence: str, reason: str) -> None:
    assert reason in refusal_of("", PASSAGE, sentence)
