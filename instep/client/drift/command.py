"""Runs `instep drift`: requests the names that articles state, searches the checkout, sends and reports."""

import json
from collections.abc import Mapping
from typing import Any

from instep.client.ci.checkout import is_shallow, resolve
from instep.client.ci.client import Client
from instep.client.ci.command import FAILED
from instep.client.ci.credentials import read_server
from instep.client.ci.git import open_checkout
from instep.client.ci.options import DriftOptions
from instep.client.ci.printing import print_text, say
from instep.client.ci.retries import Patience
from instep.client.ci.shapes import Bot
from instep.client.ci.shipped import find_home
from instep.client.drift.article_code import PartNames, code_of_articles
from instep.client.drift.evidence import CheckoutEvidence, Stated, read_evidence
from instep.client.drift.report import as_findings, as_sarif
from instep.client.drift.shapes import DriftAnswer, ListedStatements
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.text.characters import shorten, shows_something

FOUND = 3
JSON = {"Content-Type": "application/json"}
SHALLOW = (
    "The checkout is shallow, so only changes in its commits are found: fetch the whole history, in GitHub"
    " Actions with `fetch-depth: 0`, elsewhere with `git fetch --unshallow`."
)


UNREAD = (
    "Git could not read up to {count:,} commits, because the checkout lacks the contents of their files: use"
    " a clone without `--filter`."
)


def run_drift(options: DriftOptions, environ: Mapping[str, str]) -> int:
    """Check the articles against the checkout, and return the exit code."""
    try:
        answer = check(options, environ)
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    if options.as_sarif:
        print_text(as_sarif(answer))
    else:
        print_text(json.dumps(answer.document) if options.as_json else as_findings(answer))
    return FOUND if answer.findings else 0


def check(options: DriftOptions, environ: Mapping[str, str]) -> DriftAnswer:
    """The findings of the server in the contents of the checkout; raises `AppError`."""
    git = open_checkout(options.path)
    head = resolve(git, "HEAD")
    revisions = f"{resolve(git, options.since)}..{head}" if options.since else head
    if is_shallow(git):
        say(SHALLOW)
    client = Client(read_server(environ), Patience())
    bot = client.choose_bot(options.bot or None)
    statements = read_statements(client, bot)
    say(f"Searching the code and its history for the statements of {statements.articles:,} articles.")
    stated = Stated(statements.names, statements.values, statements.paths)
    evidence = read_evidence(git, head, revisions, stated, find_home(git, environ) or "")
    if evidence.unread:
        say(UNREAD.format(count=evidence.unread))
    sought = {(row.article_id, row.first_line): PartNames(row.titles, row.names) for row in statements.reads}
    past = [row.commit for row in evidence.commits]
    code = code_of_articles(git, head, sought, min(options.readings, limits.MAX_DRIFT_READINGS), past)
    say(f"Sending {len(evidence.commits):,} commits that removed something the articles state.")
    is_partial = is_shallow(git) or options.since is not None
    body = body_of(head, evidence, code, options.limit, is_partial=is_partial)
    response = client.ask("POST", "/drift/checks", body, {"Service-Bot": bot.id, **JSON})
    return client.read(DriftAnswer, response)


def title_of(subject: str, commit: str) -> str:
    title = shorten(subject, limits.MAX_TITLE_CHARACTERS)
    return title if shows_something(title) else commit


def read_statements(client: Client, bot: Bot) -> ListedStatements:
    response = client.ask("GET", "/drift/statements", None, {"Service-Bot": bot.id})
    return client.read(ListedStatements, response)


def body_of(
    head: str,
    evidence: CheckoutEvidence,
    code: Mapping[tuple[str, int], str],
    limit: int | None,
    *,
    is_partial: bool,
) -> bytes:
    """The request of the check.

    Only lines of commits that took out what articles state leave the machine, and the code around the names
    in articles that a language model reads.
    """
    document: dict[str, Any] = {
        "commit": head,
        "changes": [
            {
                "commit": row.commit.commit,
                "title": title_of(row.commit.title, row.commit.commit),
                "date": row.commit.date,
                "diff": row.commit.diff,
                "names": sorted(row.commit.names),
                "standing": [
                    {
                        "file": place.file,
                        "line": place.line,
                        "fileToday": place.file_today,
                        "lineToday": place.line_today,
                    }
                    for place in row.standing
                ],
            }
            for row in evidence.commits
        ],
        "goneNames": list(evidence.gone_names),
        "absentKeys": sorted(evidence.absent_keys),
        "moves": [
            {
                "commit": move.commit,
                "title": title_of(move.title, move.commit),
                "date": move.date,
                "old": move.old,
                "new": move.new,
            }
            for move in evidence.moves
        ],
        "home": evidence.home,
        "code": [
            {"articleId": article_id, "firstLine": line, "diff": diff}
            for (article_id, line), diff in code.items()
        ],
        "isPartial": is_partial or evidence.unread > 0,
    }
    return json.dumps(document | ({"limit": limit} if limit else {}), ensure_ascii=False).encode(
        "utf-8", "replace"
    )
