"""Scores a model that compares articles with code: `python -m eval.drift_reading SET REPOSITORIES PROMPTS`.

For each mechanical change of the set, the articles that people edited with it, as they stood before, are held
against the code after it, and so is one other article. PROMPTS gets the prompts, `NNN.prompt.txt`, for people
to answer in `NNN.answer.txt`; then run the command again. `recall` is the share of the lines that people
edited which the model edits, and `with_rules` the share that it or `eval.drift --mechanical` finds. `others`
are the articles that people did not edit, and how many of them get an edit: read these.

`python -m eval.drift_reading --docs REPOSITORY OLD HEAD COUNT PROMPTS FOLDER…` holds COUNT articles of the
FOLDERs, or parts of long ones, chosen by a hash, as they stood at the commit OLD, against the code of HEAD,
and prints the edits: read them. `changed` are edits of lines that the documentation of HEAD no longer has.
"""

import asyncio
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, ndiff
from pathlib import Path
from typing import Any

from eval.drift import cases_of, documents, edited_lines, evidence_for, judged
from eval.model.by_hand import HandModel
from instep.client.ci.git import Git, GitFailed
from instep.client.drift.article_code import PartNames, code_of_articles
from instep.drafting.writer.drift.stated_names import names_by_part
from instep.drafting.writer.llm.model_step import ModelStep
from instep.drafting.writer.shapes import Article

MAX_TOKENS = 200_000


async def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--docs"]:
        return await compare_docs(arguments[1:])
    folder, repositories, model = Path(arguments[0]), Path(arguments[1]), HandModel(Path(arguments[2]))
    figures = dict.fromkeys(("lines", "recall", "with_rules", "others", "others_edited"), 0)
    for path in sorted(folder.glob("*/cases.jsonl.gz")):
        for case, articles in cases_of(path):
            if case["sample"] == "mechanical":
                for name, count in (await score(case, articles, repositories, model)).items():
                    figures[name] += count
    total = max(1, figures["lines"])
    shares = {name: round(figures[name] / total, 3) for name in ("recall", "with_rules")}
    print(json.dumps({**figures, **shares, "unanswered": model.missing}))
    return 0


async def compare_docs(arguments: Sequence[str]) -> int:
    repository, old, head, count, prompts, *folders = arguments
    git, model = Git(Path(repository)), HandModel(Path(prompts))
    today = {article.id: article.text for article in documents(git, head, folders)}
    articles = [article for article in documents(git, old, folders) if article.id in today]
    articles.sort(key=lambda article: hashlib.sha256(article.id.encode()).digest())
    past = [row.commit for row in evidence_for(git, head, head, articles).commits]
    code = code_of_articles(git, head, sought_in(articles), int(count), past)
    by_id = {article.id: article for article in articles}
    for (id, line), diff in code.items():
        article = by_id[id]
        report = await ModelStep(model, MAX_TOKENS).compare(diff, article, "", (), line)
        for proposal in report.proposals:
            print(f"{article.id}: {proposal.reason} {' '.join(proposal.warnings)}")
            print(*edits_of(article.text, proposal.text, today[article.id]), sep="\n")
        for place in report.places:
            print(f"{article.id}: place at line {place.line}: {place.reason}")
    print(json.dumps({"parts": len(code), "unanswered": model.missing}))
    return 0


def edits_of(old: str, new: str, today: str) -> Iterator[str]:
    """The lines of an edit, and whether the documentation of today has the old ones."""
    lines = set(today.split("\n"))
    for line in ndiff(old.split("\n"), new.split("\n")):
        if line[:2] in ("- ", "+ "):
            yield f"  {line}" + ("  (changed)" if line[0] == "-" and line[2:] not in lines else "")


async def score(
    case: Any, articles: Sequence[Article], repositories: Path, model: HandModel
) -> dict[str, int]:
    git = Git(repositories / case["repo"].replace("/", "+") / "repo")
    lines = dict(edited_lines(case["gold"]["docs_diff"]))
    edited = [article for article in articles if lines.get(article.id)]
    others = [article for article in articles if article.id not in lines]
    others.sort(key=lambda article: hashlib.sha256(f"{case['id']} {article.id}".encode()).digest())
    try:
        evidence = evidence_for(git, case["sha"], f"{case['parent']}..{case['sha']}", articles)
        past = [row.commit for row in evidence.commits]
        sought = sought_in([*edited, *others])
        code = code_of_articles(git, case["sha"], sought, len(sought), past)
    except GitFailed as failure:
        print(case["id"], failure.message)
        return {}
    by_rules = {(drift.article.id, drift.line) for drift in judged(evidence, articles)}
    by_people = {(path, number) for path, numbers in lines.items() for number in numbers}
    by_model = set[tuple[str, int]]()
    ids_with_code = {id for id, _ in code}
    read = [
        row
        for row in (*edited, *[row for row in others if row.id in ids_with_code][:1])
        if row.id in ids_with_code
    ]
    for article, line in [(row, line) for row in read for id, line in code if id == row.id]:
        report = await ModelStep(model, MAX_TOKENS).compare(code[article.id, line], article, "", (), line)
        for proposal in report.proposals:
            by_model |= {(article.id, number) for number in changed_lines(article.text, proposal.text)}
            print(case["id"], article.id, "|", proposal.reason)
        by_model |= {(article.id, place.line) for place in report.places}
    wrong = {path for path, _ in by_model} - lines.keys()
    print(case["id"], case["input"]["title"][:60], f"{len(by_people & by_model)} of {len(by_people)}")
    return {
        "lines": len(by_people),
        "recall": len(by_people & by_model),
        "with_rules": len(by_people & (by_model | by_rules)),
        "others": sum(row.id not in lines for row in read),
        "others_edited": len(wrong),
    }


def sought_in(articles: Sequence[Article]) -> dict[tuple[str, int], PartNames]:
    titles = {article.id: [article.title, Path(article.id).stem] for article in articles}
    return {(id, line): PartNames(titles[id], names) for (id, line), names in names_by_part(articles).items()}


def changed_lines(old: str, new: str) -> Iterator[int]:
    """The lines of the old text, from 1, that the new text lacks."""
    matcher = SequenceMatcher(None, old.split("\n"), new.split("\n"), autojunk=False)
    for tag, first, last, _, _ in matcher.get_opcodes():
        if tag in ("replace", "delete"):
            yield from range(first + 1, last + 1)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
