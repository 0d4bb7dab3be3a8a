"""`eval.model`: a model is scored on a set of changes, and a run is repeated from recorded answers."""

import gzip
import json
from argparse import Namespace
from pathlib import Path

import pytest

from eval.model.__main__ import main, score
from eval.model.recorded import RecordedModel
from eval.model.review_table import COLUMNS, review_table
from instep.platform.core.config import settings
from instep.platform.llm.protocol import CompletionError, Prompt
from tests.platform.llm.conftest import Meet
from tests.platform.llm.test_tasks import CHOICE, LINE, MORE, replacing
from tests.support.changes import DIFF, PETS, SETTINGS
from tests.support.model_endpoint import INPUT, OUTPUT, Asked, errs, follows, says

PROMPT = Prompt("Be brief.", "How many?", {"type": "object"}, 100)
SCORER = '''
"""A set of two changes in the form of the real one: people documented the first, not the second."""
import json
from collections import namedtuple
from pathlib import Path

Article = namedtuple("Article", "title text")
Case = namedtuple("Case", "id title diff articles gold")


def load(folder, products=None, sample=None):
    for row in json.loads((Path(folder) / "rows.json").read_text()):
        articles = {path: Article(path.title(), text) for path, text in row["articles"].items()}
        yield Case(row["id"], row["title"], row["diff"], articles, {"modified": row["modified"], "added": {}})


def score(cases, predictions):
    by_id = {row["id"]: row for row in predictions}
    texts = [draft["contentMarkdown"] for row in predictions for draft in row["drafts"]]
    people = [text for case in cases for text in case.gold["modified"].values()]
    assert all(case.id in by_id for case in cases)
    return {"near_exact": len(set(texts) & set(people)) / max(1, len(texts)), "internal": 1}
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of changes in which people made the same edits as this test's model."""
    people = SETTINGS.replace("Set `ACME_TIMEOUT` to a number of seconds.", MORE)
    row = {
        "id": "acme-1",
        "title": "Rename | the timeout",
        "diff": DIFF,
        "articles": {"pets": PETS, "settings": SETTINGS},
        "modified": {"settings": people},
    }
    (tmp_path / "docsync_eval.py").write_text(SCORER)
    (tmp_path / "rows.json").write_text(json.dumps([row, {**row, "id": "acme-2", "modified": {}}]))
    (tmp_path / "acme").mkdir()
    with gzip.open(tmp_path / "acme" / "cases.jsonl.gz", "wt") as file:
        file.write("")
    return tmp_path


def reads_and_edits(asked: Asked) -> object:
    return CHOICE if "BEGIN table of contents" in asked.data else replacing(LINE, MORE)


def options(folder: Path, **changes: object) -> Namespace:
    values = {
        "folder": folder,
        "answers": folder / "answers",
        "by_hand": None,
        "cases": 0,
        "max_tokens": 1_000_000,
    }
    return Namespace(**{**values, "replay": False, **changes})


async def test_a_model_is_scored_once_and_the_run_is_repeated_without_it(
    meet: Meet, folder: Path, provider: str
) -> None:
    name = f"{provider}:scripted-1"
    async with meet(follows(reads_and_edits)) as (_, behind):
        first = await score(options(folder), name)
        asked = len(behind.asked)
    again = await score(options(folder, replay=True), name)

    # Both changes are the same, so one may reuse the prompts of the other.
    assert asked == first["answers"]["asked"] in range(2, 5)
    assert first["with"] == {"near_exact": 0.5}
    assert first["without"] == {"near_exact": 0.0}
    assert again["answers"] == {"asked": 0, "replayed": 4, "missing": 0}
    assert [again[part] for part in ("with", "without", "changes")] == [
        first[part] for part in ("with", "without", "changes")
    ]


async def test_a_person_gets_a_table_of_drafts_with_an_empty_column(meet: Meet, folder: Path) -> None:
    async with meet(follows(reads_and_edits)) as (model, _):
        figures = await score(options(folder), model.name)

    head, _, *rows = Path(figures["table"]).read_text().splitlines()
    assert head == f"| {' | '.join(COLUMNS)} |"
    assert len(rows) == 2
    documented, undocumented = rows
    assert documented.startswith("| acme-1: Rename &#124; the timeout | settings | <code>-Set ")
    assert documented.count("Without &#96;ACME_REQUEST_TIMEOUT&#96; it is 30 seconds.") == 2
    assert undocumented.endswith(" | left it alone |  |")
    assert all(row.count("|") == len(COLUMNS) + 1 for row in rows)


async def test_without_recorded_answers_the_drafts_are_those_of_the_writer(folder: Path) -> None:
    figures = await score(options(folder, replay=True, cases=1), "openai:unknown")

    assert figures["changes"] == 1
    assert figures["answers"] == {"asked": 0, "replayed": 0, "missing": 1}
    assert figures["with"] == figures["without"]


async def test_failures_are_not_kept(meet: Meet, tmp_path: Path) -> None:
    async with meet(errs(401), says("Three.")) as (model, _):
        recorded = RecordedModel(model.name, tmp_path, model, 10_000)
        with pytest.raises(CompletionError):
            await recorded.complete(PROMPT)
        assert (await recorded.complete(PROMPT)).text == "Three."

    replayed = await RecordedModel(model.name, tmp_path).complete(PROMPT)
    assert (replayed.text, replayed.total_tokens) == ("Three.", INPUT + OUTPUT)


async def test_a_run_takes_no_more_tokens_than_it_may(meet: Meet, tmp_path: Path) -> None:
    async with meet(says("Three.")) as (model, behind):
        recorded = RecordedModel(model.name, tmp_path, model, INPUT + OUTPUT + 100)
        await recorded.complete(PROMPT)
        with pytest.raises(CompletionError, match="used up"):
            await recorded.complete(Prompt("Be brief.", "How many now?", {}, 100))

    assert len(behind.asked) == 1
    assert (recorded.asked, recorded.refused, recorded.tokens) == (1, 1, INPUT + OUTPUT)


async def test_another_model_and_another_prompt_have_answers_of_their_own(meet: Meet, tmp_path: Path) -> None:
    async with meet(says("Three.")) as (model, _):
        await RecordedModel(model.name, tmp_path, model, 10_000).complete(PROMPT)

    for name, prompt in (
        ("openai:another", PROMPT),
        (model.name, Prompt(PROMPT.system, PROMPT.user, PROMPT.schema, 200)),
    ):
        with pytest.raises(CompletionError, match="not recorded"):
            await RecordedModel(name, tmp_path).complete(prompt)


def test_a_set_without_drafts_gives_an_empty_table() -> None:
    assert review_table([], []).count("\n") == 2


@pytest.mark.parametrize(("arguments", "hint"), [([], "Name its folder."), (["--model", "x"], "openai:NAME")])
def test_missing_argument_is_named(
    folder: Path,
    tmp_path: Path,
    arguments: list[str],
    hint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("INSTEP_MODEL", "")
    settings.cache_clear()
    place = folder if arguments else tmp_path / "nothing"

    assert main([str(place), *arguments]) == 2
    assert hint in capsys.readouterr().err
    monkeypatch.undo()
    settings.cache_clear()
