"""The set of real changes: products, cases, and the scorer that is stored next to them."""

import importlib.util
from pathlib import Path
from typing import Any

from instep.drafting.writer.shapes import Article, Change

SCORER = "docsync_eval.py"


def is_set(folder: Path) -> bool:
    """True if a folder holds the set with its scorer."""
    return (folder / SCORER).is_file()


def scorer_of(folder: Path) -> Any:
    """The scorer, which is stored next to its data, outside this repository."""
    spec = importlib.util.spec_from_file_location("docsync_eval", folder / SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def products_of(folder: Path) -> list[str]:
    """The products of a set, in alphabetical order."""
    return sorted(path.parent.name for path in folder.glob("*/cases.jsonl.gz"))


def task_of(case: Any) -> tuple[str, Change, list[Article]]:
    """The id of a case, its change, and the articles before it."""
    articles = [Article(path, article.title, article.text) for path, article in case.articles.items()]
    return case.id, Change(case.title, None, case.diff), articles
