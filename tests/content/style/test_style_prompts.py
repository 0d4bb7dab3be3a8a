"""The parts of a style that are sent to a language model."""

from instep.content.style.prompting import follow_style, styled_prompt
from instep.content.style.schemas import Style
from instep.platform.core import limits
from instep.platform.llm.protocol import Prompt
from tests.support.scripted_model import Scripted

STYLE = Style.model_validate(
    {
        "rules": [{"rule": "Be brief.", "good": "Save.", "bad": "You can save."}],
        "terms": [
            {"term": "sign in", "neverSay": ["log in"], "meaning": "open a session", "locale": "en"},
            {"term": "Help Center", "doNotTranslate": True},
            {"term": "elsewhere"},
        ],
        "avoidWords": ["simply", "absent"],
        "headingCase": "sentence",
        "maxSentenceWords": 20,
    }
)
PROMPT = Prompt("Write.", "Simply LOG IN to the help center.", {}, 100)


def test_the_rules_and_the_terms_of_its_texts_are_in_the_prompt() -> None:
    prompt = styled_prompt(PROMPT, STYLE)

    assert prompt.system.startswith("Write.\n\n")
    for words in ("Be brief.", "You can save.", "sentence case", "20", "simply", "log in", "Help Center"):
        assert words in prompt.system
    assert "elsewhere" not in prompt.system
    assert "absent" not in prompt.system
    assert (prompt.user, prompt.schema) == (PROMPT.user, PROMPT.schema)


def test_without_a_style_the_model_is_the_same() -> None:
    model = Scripted(lambda data: "")

    assert follow_style(model, Style()) is model
    assert follow_style(model, STYLE).name == model.name


def test_a_large_style_is_cut_at_a_line() -> None:
    rule = {"rule": "x" * limits.MAX_STYLE_RULE_CHARACTERS, "good": "y" * limits.MAX_STYLE_RULE_CHARACTERS}
    style = Style.model_validate({"rules": [rule] * limits.MAX_STYLE_RULES})

    added = styled_prompt(PROMPT, style).system.splitlines()[3:]

    assert len(set(added)) == 1
    assert sum(map(len, added)) <= limits.MAX_STYLE_PROMPT_CHARACTERS
