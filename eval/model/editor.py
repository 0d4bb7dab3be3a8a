"""Scores the editor's prompts: `python -m eval.model.editor FOLDER --by-hand PROMPTS` prints figures as JSON.

The first run writes prompts to a folder, where people answer them in place of a model; the next run checks
the answers and writes `proposals.md` there, for a person who judges them. A digest chooses the changes and
articles: "write" is asked for the first place that a change has, "shorten" for a section of an article, and
"fix" for one in which every eighth longer word is misspelled.
"""

import asyncio
import json
import re
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any, get_args

from eval.docsync_set import SCORER, is_set, products_of, scorer_of, task_of
from eval.model.by_hand import HandModel
from eval.model.review_table import cell_of, table_of, text_changes
from instep.drafting.writer import write
from instep.drafting.writer.llm.rewording import (
    Intent,
    Request,
    Rewording,
    change_reasons,
    request_for_section,
    reword,
)
from instep.platform.llm.protocol import CompletionError
from instep.platform.text.sections import read_sections

COLUMNS = ("case", "intent", "reason", "proposal", "note and warnings", "apply / correct / dismiss")
_SECTION_CHARACTERS = range(400, 4_000)
_CASES_PER_REQUEST = 30
# Words of prose: not next to marks of code, links or names.
_WORD = re.compile(r"(?<![\w`/.:#(\[<{\"-])[a-z]{6,}(?![\w`/:(\])>}\"-]|\.\w)")
_MISSPELLED_EVERY = 8


@dataclass(frozen=True, slots=True)
class Sample:
    """A request for a section of a product's article, and the misspelled words in it with the right ones."""

    case_id: str
    request: Request
    misspelled: dict[str, str]


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("python -m eval.model.editor", description=__doc__)
    parser.add_argument("folder", type=Path, help="the set of changes")
    parser.add_argument("--by-hand", type=Path, required=True, help="a folder of prompts that people answer")
    parser.add_argument("--count", type=int, default=20, help="how many prompts, spread over all products")
    options = parser.parse_args(arguments)
    if not is_set(options.folder):
        print(f"The evaluation set is missing: no {SCORER} there. Name its folder.", file=sys.stderr)
        return 2
    samples = list(chosen_samples(options.folder, options.count))
    print(json.dumps(asyncio.run(score(samples, options.by_hand)), indent=1))
    return 0


def chosen_samples(folder: Path, count: int) -> Iterator[Sample]:
    """So many samples, of all products and intents in turn."""
    scorer, intents, products = scorer_of(folder), get_args(Intent), products_of(folder)
    cases = {product: list(scorer.load(str(folder), products=[product])) for product in products}
    for number in range(count):
        turn, index = divmod(number, len(products))
        intent = intents[(turn + index) % len(intents)]
        ordered = sorted(cases[products[index]], key=lambda case: _digest(case.id, intent, str(turn)))
        samples = (sample_of(case, intent) for case in ordered[:_CASES_PER_REQUEST])
        if sample := next(filter(None, samples), None):
            yield sample


def sample_of(case: Any, intent: Intent) -> Sample | None:
    """The sample of a change; None if it has no place or section of a fitting length."""
    case_id, change, articles = task_of(case)
    if intent == "write":
        texts = {article.id: article for article in articles}
        for place in write(change, articles).places[:1]:
            article = texts[place.article_id]
            files = {row.file for row in place.evidence}
            excerpts = (row.excerpt for row in place.evidence)
            reasons = [place.reason, *excerpts, *change_reasons(change, files)]
            request = request_for_section(article.title, article.text, place.line, reasons)
            return Sample(case_id, request, {}) if len(request.selected) in _SECTION_CHARACTERS else None
        return None
    article = min(articles, key=lambda article: _digest(case_id, article.id))
    sections = ["\n".join(section.lines).strip() for section in read_sections(article.text)]
    fitting = [text for text in sections if len(text) in _SECTION_CHARACTERS and "```" not in text]
    if not fitting:
        return None
    selected = min(fitting, key=lambda text: _digest(case_id, text))
    before, _, after = article.text.partition(selected)
    request = Request(intent, article.title, before, selected, after)
    if intent == "shorten":
        return Sample(case_id, request, {})
    text, misspelled = with_mistakes(selected)
    return Sample(case_id, replace(request, selected=text), misspelled) if misspelled else None


def with_mistakes(text: str) -> tuple[str, dict[str, str]]:
    """The text with two letters exchanged in every eighth longer word, and the right word for each."""
    misspelled = dict[str, str]()
    for match in list(_WORD.finditer(text))[::-_MISSPELLED_EVERY]:
        word, start = match[0], match.start()
        wrong = f"{word[:2]}{word[3]}{word[2]}{word[4:]}"
        if wrong != word:
            text = f"{text[:start]}{wrong}{text[start + len(word) :]}"
            misspelled[wrong] = word
    return text, misspelled


async def score(samples: Sequence[Sample], folder: Path) -> dict[str, Any]:
    """The figures of the answers so far. Writes the table next to them."""
    model, outcomes = HandModel(folder), dict[str, Counter[str]]()
    lengths, fixes, rows = list[float](), Counter[str](), list[tuple[str, ...]]()
    refusals = defaultdict[str, int](int)
    for sample in samples:
        request, counts = sample.request, outcomes.setdefault(sample.request.intent, Counter())
        counts["prompts"] += 1
        try:
            proposal = await reword(model, request, "")
        except CompletionError as error:
            counts["refused"] += 1
            refusals[error.message] += 1
            continue
        counts["warned" if proposal.warnings else "proposed"] += 1
        if request.intent == "shorten":
            lengths.append(len(proposal.text) / len(request.selected))
        fixes.update("right" if _is_fixed(pair, proposal) else "left" for pair in sample.misspelled.items())
        changes = text_changes(request.selected, proposal.text)
        remarks = "<br>".join(map(cell_of, [proposal.note, *proposal.warnings]))
        reason = cell_of(" ".join(request.reasons[:1]))
        rows.append((cell_of(sample.case_id), request.intent, reason, changes, remarks, ""))
    (folder / "proposals.md").write_text(table_of(COLUMNS, rows), "utf-8")
    return {
        "by_intent": outcomes,
        "refusals": refusals,
        "length_after_shortening": round(median(lengths), 2) if lengths else None,
        "misspelled_words": fixes,
        "tokens": model.tokens,
    }


def _is_fixed(pair: tuple[str, str], proposal: Rewording) -> bool:
    wrong, right = pair
    return wrong not in proposal.text and right in proposal.text


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
