"""The purpose of a passage and the kind of a question."""

import pytest

from instep.search.passage_kinds import PassageKind, kind_of_passage
from instep.search.question_kinds import QuestionKind, kind_of_question

LINKED = "- [Settings](/settings).\n- [Send a code change](/send), for example.\n"
TABLE = "| name | meaning |\n|---|---|\n| `a` | One. |\n| `b` | Two. |\n"
STEPS = "1. Open **Settings**.\n2. Press **Save**.\n"
VERSIONS = "- 1.2.0: faster\n- 1.1.0: smaller\n"


@pytest.mark.parametrize(
    ("markdown", "headings", "kind"),
    [
        ("See [Settings](/settings) for more of this, and for all of that.", ["Next"], "links"),
        (LINKED, ["Set up"], "links"),
        (LINKED, [], "links"),
        ("Siehe [Konten](/konten).", ["Konten", "Siehe auch"], "links"),
        ("[設定](/settings)", ["関連記事"], "links"),
        ("Press **Next**, then **Save**.", ["Next"], "text"),
        ("Open [Settings](/settings) and choose [Team](/team). Then invite them by mail.", ["Team"], "text"),
        (VERSIONS, ["Changelog"], "history"),
        ("- Faster\n- Smaller\n", ["Changelog", "1.2.0"], "history"),
        ("Publish an entry, and readers see it.", ["Changelog"], "text"),
        (STEPS, ["Save"], "steps"),
        ("```\n1. a\n2. b\n```\n", ["Save"], "text"),
        (TABLE, ["Names"], "reference"),
        (STEPS, ["If it fails"], "troubleshooting"),
        ("Restart it.", ["Common errors"], "troubleshooting"),
        ("Neu starten.", ["Fehler beim Start"], "troubleshooting"),
        ("再起動します。", ["起動エラー"], "troubleshooting"),
        ("A team is who works with you.", [], "definition"),
        ("", [], "definition"),
    ],
)
def test_a_passage_is_of_a_kind_by_its_form_and_heading(
    markdown: str, headings: list[str], kind: PassageKind
) -> None:
    assert kind_of_passage(markdown, headings) == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How do I invite people?", "how_to"),
        ("Wie lade ich jemanden ein?", "how_to"),
        ("Comment inviter un collègue ?", "how_to"),
        ("¿Cómo invito a alguien?", "how_to"),
        ("Como convido alguém?", "how_to"),
        ("メンバーを招待する方法", "how_to"),
        ("كيف أدعو زميلا؟", "how_to"),
        ("What is a bot?", "what_is"),
        ("What does 402 mean?", "what_is"),
        ("Was ist ein Bot?", "what_is"),
        ("Webhookとは", "what_is"),
        ("Why is my page empty?", "why"),
        ("¿Por qué no veo la página?", "why"),
        ("Can I export everything?", "may_i"),
        ("Kann ich alles exportieren?", "may_i"),
        ("Where are deleted articles?", "where"),
        ("¿Dónde están?", "where"),
        ("The import fails with error 500", "error"),
        ("password reset", None),
    ],
)
def test_a_question_is_of_a_kind_by_its_words(question: str, kind: QuestionKind | None) -> None:
    assert kind_of_question(question) == kind
