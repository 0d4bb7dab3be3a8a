"""What a scripted model replies about one article among others, and what the report becomes by it."""

import json
from collections.abc import Sequence
from dataclasses import replace

from instep.writer import Article, Change, Proposal, Report, write
from instep.writer.fitted import FITTED
from instep.writer.llm.model_edits import CheckedReply, check_edits, prompt_for_edits, report_with_edits
from instep.writer.models import FittedModel

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
OTHER = Article("pets", "Pets", "# Pets\n\nCats and dogs are welcome in all of our offices.\n")
ROW = "| `ACME_DEBUG` | Whether each request is logged | `false` |"
NEW_ROW = "| `ACME_RETRY_PAUSE` | Seconds until a request is tried again | `2` |"
SENTENCE = "Set `ACME_REQUEST_TIMEOUT` to a number of seconds."
CHANGE = Change("Add ACME_RETRY_PAUSE, rename ACME_TIMEOUT", "Tries wait for each other.", DIFF)
# What the change replaces is certain here, however the writer weighs it elsewhere.
SURE = replace(FITTED, edit=FittedModel({}, 20.0))


def certain(text: str = TEXT, change: Change = CHANGE) -> tuple[list[Article], Report]:
    """The articles, and what the writer says without a model."""
    articles = [Article("settings", "Settings", text), OTHER]
    return articles, replace(write(change, articles, models=SURE), need=1.0)


def replied(edits: Sequence[tuple[str, str, str]], text: str = TEXT, change: Change = CHANGE) -> Report:
    """The report after a reply of these edits: article, text to replace, text instead."""
    articles, report = certain(text, change)
    assert prompt_for_edits(change, articles, report, 40_000) is not None
    checked = checked_reply(edits, articles, report, change)
    return report_with_edits(report, checked, (), "scripted")


def checked_reply(
    edits: Sequence[tuple[str, str, str]],
    articles: Sequence[Article],
    report: Report,
    change: Change = CHANGE,
    texts: Sequence[tuple[int, str]] = (),
) -> CheckedReply:
    """What holds of a reply of these edits, and of these texts: place, text."""
    reply = {
        "edits": [{"article": a, "search": old, "replace": new} for a, old, new in edits],
        "texts": [{"place": number, "text": text} for number, text in texts],
    }
    checked = check_edits(change, articles, report, json.dumps(reply), OWN)
    assert checked is not None
    return checked


def on_settings(report: Report) -> Proposal:
    [draft] = [proposal for proposal in report.proposals if proposal.article_id == "settings"]
    return draft
