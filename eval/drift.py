"""Holds old docs against newer code of a repository: `python -m eval.drift REPOSITORY OLD NEW FOLDER…`.

REPOSITORY is a git directory, OLD the commit whose docs are read in the FOLDERs, NEW the one with the code.
Each finding is printed with its line; `fixed` are those whose line the docs of NEW no longer have, which is a
lower bound of the precision: read the others by hand. `python -m eval.drift --mechanical SET REPOSITORIES`
holds the docs before each mechanical change of the set against the code after it: `recall` is the share of
the lines that people edited in the same commit with a finding. `--points SET REPOSITORIES` holds the docs of
each product at three points of its history against the code of that day: `2 of 5` are five findings, of which
people changed the lines of two later. `--scale REPOSITORY SET…` measures time and memory for 2,000 articles.
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
from instep.platform.core import limits

_DOCUMENT = re.compile(r"\.(?:md|mdx|rst)$")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_MAX_ARTICLES = 2_000


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--mechanical"]:
        return mechanical(Path(arguments[1]), Path(arguments[2]))
    if arguments[:1] == ["--points"]:
        return points(Path(arguments[1]), Path(arguments[2]))
    if arguments[:1] == ["--scale"]:
        return scale(Path(arguments[1]), arguments[2:])
    git, old, new, folders = Git(Path(arguments[0])), arguments[1], arguments[2], arguments[3:]
    articles = documents(git, old, folders)
    today = {article.id: article.text for article in documents(git, new, folders)}
    start = time.monotonic()
    drifts = check(git, new, new, articles)
    used = used_since(start)
    fixed = 0
    for drift in drifts:
        line = line_at(drift)
        is_fixed = line not in today.get(drift.article.id, "")
        fixed += is_fixed
        print("fixed" if is_fixed else "     ", described(drift))
    found = f"{len(articles)} articles, {len(drifts)} findings, {fixed} fixed"
    print(f"{found}, {used}")
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


def evidence_for(git: Git, head: str, revisions: str, articles: Sequence[Article]) -> CheckoutEvidence:
    stated = stated_names(articles, limits.MAX_DRIFT_NAMES)
    known = Stated(stated.names, stated.values, stated.paths)
    return read_evidence(git, head, revisions, known, find_home(git, {}) or "")


def check(git: Git, head: str, revisions: str, articles: Sequence[Article]) -> list[Drift]:
    return judged(evidence_for(git, head, revisions, articles), articles)


def judged(evidence: CheckoutEvidence, articles: Sequence[Article]) -> list[Drift]:
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
        for case, articles in cases_of(path):
            if case["sample"] == "mechanical":
                lines, hits = recall_of(case, articles, repositories)
                total, found = total + lines, found + hits
    print(json.dumps({"lines": total, "found": found, "recall": round(found / max(1, total), 3)}))
    return 0


def cases_of(path: Path) -> Iterator[tuple[Any, list[Article]]]:
    """The cases of a product, each with the articles as they stood before it."""
    with gzip.open(path.with_name("blobs.jsonl.gz"), "rt", encoding="utf-8") as stream:
        blobs = {row["h"]: row["t"] for row in map(json.loads, stream)}
    corpus: dict[str, str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for case in map(json.loads, stream):
            for gone in case["corpus"]["del"]:
                corpus.pop(gone, None)
            corpus |= case["corpus"]["set"]
            yield case, [article_of(name, blobs[key]) for name, key in corpus.items()]


def points(folder: Path, repositories: Path) -> int:
    """Print, for three points of each product's history, the findings and those that people fixed later."""
    for path in sorted(folder.glob("*/cases.jsonl.gz")):
        cases = list(cases_of(path))
        last = {article.id: article.text for article in cases[-1][1]}
        cells = list[str]()
        for case, articles in (cases[len(cases) * number // 4] for number in (1, 2, 3)):
            git = Git(repositories / case["repo"].replace("/", "+") / "repo")
            kept = [article for article in articles if article.id in last]
            drifts = check(git, case["sha"], case["sha"], kept)
            fixed = sum(line_at(drift) not in last[drift.article.id] for drift in drifts)
            print(*map(described, drifts), sep="\n", file=sys.stderr)
            cells.append(f"{case['date']}: {fixed} of {len(drifts)}")
        print("|", " | ".join([path.parent.name, *cells]), "|", flush=True)
    return 0


def scale(repository: Path, folders: Sequence[str]) -> int:
    """Hold up to 2,000 articles, the newest of all products of the sets, against the code of a repository."""
    newest = [list(cases_of(path))[-1] for name in folders for path in Path(name).glob("*/cases.jsonl.gz")]
    articles = [
        Article(f"{case['repo']}/{article.id}", article.title, article.text)
        for case, articles in newest
        for article in articles
    ][:_MAX_ARTICLES]
    start = time.monotonic()
    drifts = check(Git(repository), "HEAD", "HEAD", articles)
    print(f"{len(articles)} articles, {len(drifts)} findings, {used_since(start)}")
    return 0


def used_since(start: float) -> str:
    memory = max(
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return f"{time.monotonic() - start:.0f} s, {memory // 1024} MB"


def recall_of(case: Any, articles: Sequence[Article], repositories: Path) -> tuple[int, int]:
    git = Git(repositories / case["repo"].replace("/", "+") / "repo")
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
