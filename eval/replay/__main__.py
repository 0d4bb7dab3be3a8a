"""Replays history: `python -m eval.replay REPOSITORY DOCS` writes drafts to read and a table to fill in.

Each commit that changes code is given to the writer as `instep change` would send it, with the articles of
its parent and without the documentation that it edits itself. No language model takes part. The folder of
`--output` gets `drafts.md`, for reading, and `judgements.md`, whose column "apply / correct / dismiss" a
person fills in; a draft that says the same in a later run keeps its judgement. `--shares FILE` prints how
many drafts of a filled-in table a person would apply, correct and dismiss.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from multiprocessing import get_context
from pathlib import Path

from eval.replay.drafts_page import Replay, page_of
from eval.replay.history import History, ReplayedChange
from eval.replay.judgements import InvalidTable, JudgedDraft, read_table, shares_of, table_of
from instep.client.ci.git import GitFailed, open_checkout
from instep.drafting.writer import write

_PROCESSES = 2


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    try:
        if options.shares:
            print(json.dumps(shares_of(_judged(options.shares)), indent=1))
        else:
            print(json.dumps(_replay(options), indent=1))
    except (GitFailed, InvalidTable, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _options(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser("python -m eval.replay", description=__doc__)
    parser.add_argument("repository", type=Path, nargs="?", default=Path(), help="a checkout of git")
    parser.add_argument("docs", nargs="?", default="docs", help="its folder of documentation, from its root")
    parser.add_argument("--code", nargs="+", default=[], help="only commits that touch these paths")
    parser.add_argument("--head", default="HEAD", help="the latest commit")
    parser.add_argument("--last", type=int, default=100, help="how many commits, the latest first; 0: all")
    parser.add_argument("--every", type=int, default=1, help="of these, only every so-manieth")
    parser.add_argument("--with-docs", action="store_true", help="keep documentation in the diffs")
    parser.add_argument("--output", type=Path, default=Path("replay"), help="the folder for drafts and table")
    parser.add_argument("--shares", type=Path, help="print the shares of a filled-in table instead")
    return parser.parse_args(arguments)


def _replay(options: Namespace) -> dict[str, object]:
    git = open_checkout(options.repository)
    history = History(git, options.docs.strip("/"), options.code, options.with_docs)
    commits = history.commits(options.head)
    commits = commits[: options.last or len(commits)][:: max(1, options.every)]
    with get_context("fork").Pool(_PROCESSES) as pool:
        replays = list(pool.imap(_answer, map(history.change, commits), chunksize=2))
    drafts = [draft for replay in replays for draft, _ in replay.drafts()]
    options.output.mkdir(parents=True, exist_ok=True)
    table = options.output / "judgements.md"
    judged = {draft.digest: draft for draft in _judged(table)} if table.is_file() else {}
    (options.output / "drafts.md").write_text(page_of(replays), "utf-8")
    table.write_text(table_of(drafts, judged), "utf-8")
    return {"changes": len(commits), **_counts(replays), **shares_of(_judged(table))}


def _answer(replayed: ReplayedChange) -> Replay:
    return Replay(replayed, write(replayed.change, replayed.articles))


def _counts(replays: Iterable[Replay]) -> dict[str, int]:
    reports = [replay.report for replay in replays]
    verdicts = [[verdict.verdict for verdict in report.reviewed] for report in reports]
    return {
        "changes_with_drafts": sum(bool(report.proposals) for report in reports),
        "concerned": sum(some.count("concerned") for some in verdicts),
    }


def _judged(file: Path) -> list[JudgedDraft]:
    return read_table(file.read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
