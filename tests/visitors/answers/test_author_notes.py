"""Authors' notes in unused link definitions never reach visitors or their programs."""

import pytest

from tests.support.cast import Cast, Client
from tests.support.mcp import ask as ask_docs
from tests.support.questions import ask
from tests.support.site_pages import publish

NOTES = {
    "below a paragraph": "Start the export at night.\n\n[//]: # (hippopotamus)",
    "over lines": "[//]: # (hippopotamus\nhippopotamus)\nStart the export at night.",
    "in a list": "Start the export at night:\n\n- [//]: # (hippopotamus)\n- Choose **Export**.",
}


@pytest.mark.parametrize("text", NOTES.values(), ids=NOTES)
async def test_a_note_is_neither_in_passages_nor_in_answers(
    client: Client, visitor: Client, cast: Cast, text: str
) -> None:
    await publish(client, "Start an export", text)
    query = {"query": "export", "includeText": True}

    [passage] = (await ask_docs(visitor, cast.acme, "search_docs", query))["results"]
    answer = await ask(visitor, cast.acme, "How do I start an export at night?")

    assert "Start the export at night" in passage["contentMarkdown"]
    assert answer["answered"] is True
    assert "hippopotamus" not in f"{passage} {answer}"
