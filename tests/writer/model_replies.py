"""What a scripted model replies about one article among others, and what the report becomes by it."""

import json
from collections.abc import Sequence
from dataclasses import replace

from instep.writer import Article, Change, Proposal, Report, write
from instep.writer.llm.model_edits import prompt_for_edits, with_edits

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


def certain(text: str = TEXT, change: Change = CHANGE) -> tuple[list[Article], Report]:
    """The articles, and what the writer says without a model."""
    articles = [Article("settings", "Settings", text), OTHER]
    return articles, replace(write(change, articles), need=1.0)


def replied(edits: Sequence[tuple[str, str, str]], text: str = TEXT, change: Change = CHANGE) -> Report:
    """The report after a reply of these edits: article, text to replace, text instead."""
    articles, report = certain(text, change)
    assert prompt_for_edits(change, articles, report, 40_000) is not None
    reply = {"edits": [{"article": a, "search": old, "replace": new} for a, old, new in edits]}
    return with_edits(change, articles, report, json.dumps(reply), "scripted", OWN).report


def on_settings(report: Report) -> Proposal:
    [draft] = [proposal for proposal in report.proposals if proposal.article_id == "settings"]
    return draft
