"""A model is asked again if sentences of its answer were refused, and with sections that it requested."""

import re

import pytest
from fastapi import FastAPI

from instep.platform.llm.protocol import Completion, CompletionError, OnText, Prompt
from tests.support.cast import Api, Cast, Json
from tests.support.questions import CHAT, RESET, ask
from tests.support.scripted_model import Scripted, parts_of
from tests.support.site_pages import publish
from tests.support.visitors import credentials
from tests.visitors.answers.test_streaming import EVENTS, events_in

HOW = "How do I reset my password?"
STEPS = (
    "1. Open **Settings**, then choose *Security*.",
    "2. Choose `Reset password`.",
    "3. Enter the code that we send you by e-mail.",
)
INVENTED = "2. Press the red lever."


@pytest.fixture
async def guide(api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)


def steps(second: str) -> object:
    reply = parts_of((STEPS[0], 1), (second, 1), (STEPS[2], 1))
    assert isinstance(reply, dict)
    return {"kind": "question", "language": "en", **reply}


def repairing(prompt: str) -> object:
    return steps(STEPS[1] if "BEGIN refused" in prompt else INVENTED)


async def streamed(api: Api, cast: Cast) -> list[tuple[str, Json]]:
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}
    return events_in((await api(None).post(CHAT, json=body, headers=EVENTS)).text)


async def test_second_prompt_names_the_refused_sentences_and_the_reasons(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    app.state.model = model = Scripted(repairing)

    answer = await ask(api(None), cast.acme, HOW)

    assert [line[:3] for line in answer["answer"].splitlines()] == ["1. ", "2. ", "3. "]
    assert "Reset password" in answer["answer"]
    [_, again] = model.prompts
    assert re.search(r"Press the red lever\.: .*lever", again.user)
    assert RESET.splitlines()[0] in again.user


async def test_stream_ends_before_a_refused_part_and_withdraws_nothing(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    app.state.model = Scripted(repairing)

    events = await streamed(api, cast)

    texts = [data["text"] for name, data in events if name == "delta"]
    assert "2." not in texts[0]
    assert "replace" not in [name for name, _ in events]
    assert "".join(texts) == events[-1][1]["answer"]


async def test_another_answer_takes_the_place_of_what_was_shown(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    beginning = ("You can change your password at any time.", 1)

    def script(prompt: str) -> object:
        reply = parts_of(*([] if "BEGIN refused" in prompt else [beginning]), (STEPS[1], 1), (INVENTED, 1))
        assert isinstance(reply, dict)
        parts = reply["parts"][:1] if "BEGIN refused" in prompt else reply["parts"]
        return {"kind": "question", "language": "en", "sections": [1], "parts": parts}

    app.state.model = Scripted(script)

    events = await streamed(api, cast)

    [text] = [data["text"] for name, data in events if name == "replace"]
    assert text == events[-1][1]["answer"] == "2. Choose `Reset password` [1]."


async def test_a_list_that_lost_a_step_after_all_gives_way_to_the_articles_own(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    app.state.model = model = Scripted(lambda prompt: steps(INVENTED))

    answer = await ask(api(None), cast.acme, HOW)

    assert len(model.prompts) == 2
    assert "2. Choose `Reset password` [1]." in answer["answer"]
    assert "lever" not in answer["answer"]


async def test_a_step_that_is_refused_after_all_is_what_it_quotes(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    def script(prompt: str) -> object:
        return parts_of((STEPS[0], 1), (INVENTED, 1, "Choose `Reset password`."), (STEPS[2], 1))

    app.state.model = Scripted(script)

    answer = await ask(api(None), cast.acme, HOW)

    assert [line[:10] for line in answer["answer"].splitlines()] == ["1. Open **", "2. Choose ", "3. Enter t"]
    assert "2. Choose `Reset password` [1]." in answer["answer"]
    assert "lever" not in answer["answer"]


async def test_without_a_second_reply_the_first_one_counts(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    class OutOfBudget(Scripted):
        async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
            if self.prompts:
                raise CompletionError("It is used up.", 0)
            return await super().complete(prompt, on_text)

    first = parts_of(("You can change your password at any time.", 1), ("Call Mallory.", 1))
    app.state.model = OutOfBudget(lambda prompt: first)

    answer = await ask(api(None), cast.acme, HOW)

    assert answer["answer"] == "You can change your password at any time [1]."


async def test_model_reads_whole_sections_that_it_asks_for(
    app: FastAPI, api: Api, cast: Cast, guide: None
) -> None:
    filler = "The lamp of the hall is lit. " * 40
    bulbs = "\n\n".join([*[filler] * 3, "Turn the bulb to the left."])
    text = f"## Bulbs\n\n{bulbs}\n\n## Shades\n\nOf paper."
    client = api(cast.acme.write_key)
    await publish(client, "Lamps", text)
    for number in range(12):
        await publish(client, f"Passwords of team {number}", "Reset a password of the team in its settings.")

    def script(prompt: str) -> object:
        if found := re.search(r"; (\d+) Bulbs|: (\d+) Bulbs", prompt):
            return {"sections": [], "more": [int(found[1] or found[2])], "parts": []}
        number = re.search(r"BEGIN section (\d+) \w+ =====\nLamps > Bulbs", prompt)
        return parts_of(("Turn the bulb to the left.", int(number[1]) if number else 0))

    app.state.model = model = Scripted(script)

    answer = await ask(api(None), cast.acme, HOW)

    assert answer["answer"] == "Turn the bulb to the left [1]."
    assert [source["heading"] for source in answer["sources"]] == ["Bulbs"]
    assert "Of paper." not in model.prompts[1].user


@pytest.mark.parametrize("more", [[0], [-1], [99_999], list(range(50))], ids=str)
async def test_numbers_that_stand_for_nothing_ask_for_nothing(
    app: FastAPI, api: Api, cast: Cast, guide: None, more: list[int]
) -> None:
    app.state.model = model = Scripted(lambda prompt: {"sections": [], "more": more, "parts": []})

    answer = await ask(api(None), cast.acme, HOW)

    assert answer["answered"] is False
    assert len(model.prompts) <= 2
