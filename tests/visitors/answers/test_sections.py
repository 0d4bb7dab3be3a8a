"""The section that an answer quotes, and how it quotes steps."""

from dataclasses import replace

import pytest

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.visitors.answers.ask import (
    QuestionRequest,
    answer_from_articles,
    declined_answer,
    retrieve_context,
)
from instep.visitors.answers.schemas import Answer
from tests.search.conftest import ctx as ctx
from tests.support.cast import Api, Cast
from tests.support.search import publish

INSTALL = """\
The agent watches your servers.

## What you need

A server with Linux, and the agent's key.

## Install

Run `agent install` as root to install the agent.

## Uninstall

Run `agent remove` to uninstall the agent. Install it again whenever you want to install the agent.

## Next

- [Install the agent on macOS](/macos), and [install an agent on Windows](/windows).
- [Install the agent](/many) on many servers.
"""


async def answer(ctx: Ctx, question: str) -> Answer:
    return await answer_from_articles(ctx, QuestionRequest(question, "en"))


async def test_the_section_of_the_act_is_quoted_and_not_a_list_of_links(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    await publish(api(cast.acme.write_key), "Install the agent", INSTALL)

    given = await answer(ctx, "How do I install the agent?")

    assert given.answered
    assert given.sources[0].passage.headings == ("Install",)
    assert "Run `agent install` as root" in given.text
    assert "macOS" not in given.text


async def test_links_to_other_pages_and_a_changelog_answer_nothing(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Penguins", "## See also\n\n- [Feed the penguins at noon](/noon) every day.\n")
    await publish(client, "News", "## Changelog\n\n- 1.2.0: The penguins get their food at noon.\n")

    given = await answer(ctx, "When do the penguins get their food?")

    assert not given.answered


def steps(count: int, words: int) -> str:
    return "".join(
        f"{n}. Turn wheel {n} " + " ".join(f"notch{n}x{word}" for word in range(words)) + ".\n"
        for n in range(1, count + 1)
    )


@pytest.mark.parametrize(
    ("count", "words", "place", "quoted"),
    [(3, 5, "", 3), (6, 60, "Steps 1 to 4 of 6 [1]:", 4), (40, 20, "Steps 1 to 11 of 40 [1]:", 11)],
)
async def test_steps_are_quoted_whole_or_with_their_place(
    api: Api, cast: Cast, ctx: Ctx, count: int, words: int, place: str, quoted: int
) -> None:
    text = f"## Open the gate\n\n{steps(count, words)}"
    await publish(api(cast.acme.write_key), "The gate", text)

    given = await answer(ctx, "How do I open the gate?")

    assert given.answered
    assert given.text.startswith(place or "1. Turn wheel 1 ")
    assert given.text.count("Turn wheel") == quoted


async def test_no_answer_begins_in_the_middle_of_steps(api: Api, cast: Cast, ctx: Ctx) -> None:
    text = f"## Open the gate\n\n{steps(40, 20)}"
    await publish(api(cast.acme.write_key), "The gate", text)

    given = await answer(ctx, "How do I turn notch35x1 of wheel 35 to open the gate?")

    assert "Turn wheel 35" not in given.text or "1. Turn wheel 1 " in given.text
    assert not given.answered or "Steps 1 to" in given.text


async def test_nearest_articles_of_one_title_are_named_once(api: Api, cast: Cast, ctx: Ctx) -> None:
    for language in ("Swift", "Kotlin"):
        await publish(
            api(cast.acme.write_key), "Offline support", f"The {language} client keeps tickets offline."
        )

    context = await retrieve_context(ctx, QuestionRequest("Can penguins fly offline?", "en"))
    sure_enough = replace(context, confidence=limits.MAY_HELP_THRESHOLD)

    assert [source.passage.title for source in declined_answer(sure_enough).sources] == ["Offline support"]
