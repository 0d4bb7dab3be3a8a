"""Holds old docs against newer code of a repository: `python -m eval.drift REPOSITORY OLD NEW FOLDER…`.

REPOSITORY is a git directory, OLD the commit whose docs are read in the FOLDERs, NEW the one with the code.
Each finding is printed with its line; `fixed` are those whose line the docs of NEW no longer have, which is a
lower bound of the precision: read the others by hand. `python -m eval.drift --mechanical SET REPOSITORIES`
holds the docs before each mechanical change of the set against the code after it: `recall` is the share of
the lines that people edited in the same commit with a finding.
"""

import gzip
import json
import re
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from instep.client.ci.git import Git, GitFailed
from instep.client.ci.shipped import find_home
from instep.client.drift.evidence import CheckoutEvidence, Stated, read_evidence
from instep.drafting.writer.drift.judging import judge
from instep.drafting.writer.drift.past_changes import CodeToday, Drift, MovedFile, PastChange, TodaysLine
from instep.drafting.writer.drift.stated_names import stated_names
from instep.drafting.writer.shapes import Article

_DOCUMENT = re.compile(r"\.(?:md|mdx|rst)$")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_MAX_NAMES = 50_000


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--mechanical"]:
        return mechanical(Path(arguments[1]), Path(arguments[2]))
    git, old, new, folders = Git(Path(arguments[0])), arguments[1], arguments[2], arguments[3:]
    articles = documents(git, old, folders)
    today = {article.id: article.text for article in documents(git, new, folders)}
    start = time.monotonic()
    drifts = check(git, new, new, articles)
    seconds = time.monotonic() - start
    fixed = 0
    for drift in drifts:
        line = line_at(drift)
        is_fixed = line not in today.get(drift.article.id, "")
        fixed += is_fixed
        print("fixed" if is_fixed else "     ", described(drift))
    memory = max(
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    found = f"{len(articles)} articles, {len(drifts)} findings, {fixed} fixed"
    print(f"{found}, {seconds:.0f} s, {memory // 1024} MB")
    return 0


def described(drift: Drift) -> str:
    new = drift.edit.fact.new if drift.edit else ""
    probability = drift.edit.probability if drift.edit else 0
    source, line = drift.source, line_at(drift)
    at = max(0, line.find(drift.name) - 60)
    return (
        f"{drift.kind} {drift.article.id}:{drift.line} {drift.name!r} -> {new!r} {probability:.2f}\n"
        f"        | {line[at : at + 160]}\n"
        f"        {drift.change.date} {drift.change.commit[:9]} {drift.change.title[:60]!r}"
        f" {source.location} {source.text.strip()[:90]!r}"
    )


def line_at(drift: Drift) -> str:
    return drift.article.text.split("\n")[drift.line - 1].strip()


def documents(git: Git, commit: str, folders: Sequence[str]) -> list[Article]:
    listing = git.read("ls-tree", "-r", "--name-only", commit).decode()
    paths = [
        path for path in listing.split("\n") if _DOCUMENT.search(path) and path.startswith(tuple(folders))
    ]
    return [
        article_of(path, git.read("show", f"{commit}:{path}").decode("utf-8", "replace")) for path in paths
    ]


def article_of(path: str, text: str) -> Article:
    title = _TITLE.search(text)
    return Article(path, title[1] if title else path, text)


def check(git: Git, head: str, revisions: str, articles: Sequence[Article]) -> list[Drift]:
    stated = stated_names(articles, _MAX_NAMES)
    known = Stated(stated.names, stated.values, stated.paths)
    evidence = read_evidence(git, head, revisions, known, find_home(git, {}) or "")
    moves = tuple(
        MovedFile(move.old, move.new, PastChange(move.commit, move.title, move.date, "", (), ()))
        for move in evidence.moves
    )
    if evidence.unread:
        print(f"{evidence.unread} commits could not be read", file=sys.stderr)
    gone_names, absent_keys = frozenset(evidence.gone_names), frozenset(evidence.absent_keys)
    return judge(articles, changes_of(evidence), CodeToday(gone_names, absent_keys, moves, evidence.home))


def changes_of(evidence: CheckoutEvidence) -> list[PastChange]:
    return [
        PastChange(
            row.commit.commit,
            row.commit.title,
            row.commit.date,
            row.commit.diff,
            tuple(row.commit.names),
            tuple(
                TodaysLine(place.file, place.line, place.file_today, place.line_today)
                for place in row.standing
            ),
        )
        for row in evidence.commits
    ]


def mechanical(folder: Path, repositories: Path) -> int:
    total, found = 0, 0
    for path in sorted(folder.glob("*/cases.jsonl.gz")):
        with gzip.open(path.with_name("blobs.jsonl.gz"), "rt", encoding="utf-8") as stream:
            blobs = {row["h"]: row["t"] for row in map(json.loads, stream)}
        corpus: dict[str, str] = {}
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for case in map(json.loads, stream):
                for gone in case["corpus"]["del"]:
                    corpus.pop(gone, None)
                corpus |= case["corpus"]["set"]
                if case["sample"] == "mechanical":
                    lines, hits = recall_of(case, corpus, blobs, repositories)
                    total, found = total + lines, found + hits
    print(json.dumps({"lines": total, "found": found, "recall": round(found / max(1, total), 3)}))
    return 0


def recall_of(case: Any, corpus: dict[str, str], blobs: Any, repositories: Path) -> tuple[int, int]:
    git = Git(repositories / case["repo"].replace("/", "+") / "repo")
    articles = [article_of(path, blobs[key]) for path, key in corpus.items()]
    edited = dict(edited_lines(case["gold"]["docs_diff"]))
    try:
        drifts = check(git, case["sha"], f"{case['parent']}..{case['sha']}", articles)
    except GitFailed as failure:
        print(case["id"], failure.message)
        return 0, 0
    found = {(drift.article.id, drift.line) for drift in drifts}
    lines = {(path, line) for path, numbers in edited.items() for line in numbers}
    print(
        case["id"],
        case["input"]["title"][:60],
        f"{len(lines & found)} of {len(lines)}; other: {len(found - lines)}",
    )
    return len(lines), len(lines & found)


def edited_lines(diff: str) -> Iterator[tuple[str, list[int]]]:
    """The numbers of the lines that a diff takes out, by the path of the file."""
    path, number, numbers = "", 0, list[int]()
    for line in diff.split("\n"):
        if line.startswith("--- "):
            path, numbers = line[4:].removeprefix("a/"), []
            yield path, numbers
        elif match := re.match(r"@@ -(\d+)", line):
            number = int(match[1])
        elif line.startswith("-"):
            numbers.append(number)
            number += 1
        elif line.startswith(" ") or not line:
            number += 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
