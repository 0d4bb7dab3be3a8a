"""A change, articles, and a scripted model with a prepared reply to each prompt."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from instep.drafting.writer import Article, Change, DismissedEdit, Proposal, Report, WaitingEdit, write
from instep.drafting.writer.fitted import FITTED
from instep.drafting.writer.llm.model_step import ModelStep
from instep.drafting.writer.models import FittedModel
from instep.platform.llm.protocol import Completion, OnText, Prompt

OWN = "https://help.acme.test/help/acme"
DIFF = """\
diff --git a/src/retry.py b/src/retry.py
--- a/src/retry.py
+++ b/src/retry.py
@@ -1,6 +1,8 @@
 import os
 
-TIMEOUT = int(os.environ.get("ACME_TIMEOUT", "30"))
+TIMEOUT = int(os.environ.get("ACME_REQUEST_TIMEOUT", "30"))
+# Seconds between two tries, doubled each time.
+RETRY_PAUSE = int(os.environ.get("ACME_RETRY_PAUSE", "2"))
 RETRIES = 3
+LEGACY = "https://docs.acme.test/retries"
-POOL = 5
 DEBUG = False
"""
TEXT = """\
---
title: Settings
---
# Settings

Set `ACME_TIMEOUT` to a number of seconds. See [the manual](https://docs.acme.test/settings).

| setting | meaning | default |
|---|---|---|
| `ACME_RETRIES` | How often a request is tried again | `3` |
| `ACME_DEBUG` | Whether each request is logged | `false` |

## Pools

Five connections are kept in the `POOL`, and no more.
"""
AFTER = TEXT.replace("ACME_TIMEOUT", "ACME_REQUEST_TIMEOUT")
OTHER = Article("pets", "Pets", "# Pets\n\nCats and dogs are welcome in all of our offices.\n")
ROW = "| `ACME_DEBUG` | Whether each request is logged | `false` |"
NEW_ROW = "| `ACME_RETRY_PAUSE` | Seconds until a request is tried again | `2` |"
QUOTE = '+RETRY_PAUSE = int(os.environ.get("ACME_RETRY_PAUSE", "2"))'
CHANGE = Change("Add ACME_RETRY_PAUSE, rename ACME_TIMEOUT", "Tries wait for each other.", DIFF)
# Edits of replaced names are certain here, whatever the writer's fitted weights are.
SURE = replace(FITTED, edit=FittedModel({}, 20.0))
CHOICE = {"sections": [{"section": "A1", "reason": ""}], "searches": []}
INSERT_ROW = {
    "action": "insert",
    "line": 11,
    "old": ROW,
    "new": NEW_ROW,
    "reason": "It is new.",
    "quote": QUOTE,
}


class ScriptedModel:
    """Gives these replies, one per prompt; strings are sent as they are, exceptions are raised."""

    name = "scripted"

    def __init__(self, *replies: object) -> None:
        self.replies = list(replies)
        self.prompts: list[Prompt] = []

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        self.prompts.append(prompt)
        reply = self.replies[len(self.prompts) - 1]
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply if isinstance(reply, str) else json.dumps(reply), 700, 50)


def certain(
    text: str = TEXT, change: Change = CHANGE, *, is_part: bool = False
) -> tuple[list[Article], Report]:
    """The articles, and the writer's report without a model."""
    articles = [Article("settings", "Settings", text, is_part=is_part), OTHER]
    return articles, replace(write(change, articles, models=SURE), need=1.0)


def edits(*rows: dict[str, Any], article: str = "A1", **others: object) -> dict[str, Any]:
    """A reply with these edits of one article."""
    return {"edits": [{"article": article, "quote": QUOTE, **row} for row in rows], **others}


async def edited(
    *replies: object,
    text: str = TEXT,
    change: Change = CHANGE,
    max_tokens: int = 60_000,
    dismissed: Sequence[DismissedEdit] = (),
    waiting: Sequence[WaitingEdit] = (),
    is_part: bool = False,
) -> tuple[Report, ScriptedModel]:
    """The report after these model replies, and the model."""
    articles, report = certain(text, change, is_part=is_part)
    model = ScriptedModel(*replies)
    step = ModelStep(model, max_tokens)
    return await step.edit(change, articles, report, OWN, dismissed, waiting), model


def on_settings(report: Report) -> Proposal:
    [draft] = [proposal for proposal in report.proposals if proposal.article_id == "settings"]
    return draft
