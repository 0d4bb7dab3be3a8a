"""Work whose cost depends on a text does not run on the event loop unless a limit bounds it.

While the event loop highlights code, compares texts or reads YAML, it serves no other request. So coroutines
pass such work to `run_bounded` or to a thread, and never do it themselves.
"""

import re
from collections.abc import Collection
from functools import cache

import pytest

from instep.platform.core import limits
from tests.support.call_graph import CallGraph, Function, is_primitive
from tests.support.source_code import PACKAGE, Module

# Libraries, functions and methods that parse texts, and our own parsers whose time grows with the text.
PRIMITIVES = {
    *("comrak.render_markdown", "nh3", "html_to_markdown", "selectolax", "liquid"),
    *("difflib", "merge3.Merge3", "patiencediff", "rapidfuzz"),
    *("tomllib", "yaml.load", "yaml.parse", "yaml.safe_load"),
    *("pygments", ".get_tokens_unprocessed", ".get_tokens", "tree_sitter.Parser"),
    "instep.interfaces.dashboard.review.diff_lines.read_hunks",
    "instep.platform.text.patch_parser.parse_diff",
    "instep.content.parts.expansion.shown_texts",
    "instep.content.parts.expansion.refuse_bad_texts",
    "instep.platform.text.diff.hunks_of",
}
# Programs in a terminal, where no other request waits.
OF_TERMINALS = {"backups", "ci", "cli", "demo", "linting", "migrations", "review", "thin_client"}
# Functions that may run anywhere, with the limit of their text, and why it bounds them.
BOUNDED = {
    "instep.visitors.answers.answer_blocks.read_answer_blocks": ("MAX_PASSAGES_RETRIEVED", "of passages"),
    "instep.visitors.answers.citing.has_no_active_markup": (
        "MAX_COMPLETION_BYTES",
        "of passages or a completion",
    ),
    "instep.platform.core.config.settings": ("", "the operator's own file, once"),
    "instep.transfer.exports.page_file.is_plain": ("MAX_DESCRIPTION_CHARACTERS", "one value"),
    "instep.transfer.exports.page_file.read_values": (
        "MAX_FRONT_MATTER_CHARACTERS",
        "by libyaml, in linear time",
    ),
    # This takes linear time, and each page of a sync or an export is a separate step of the event loop.
    "instep.transfer.exports.relative_links.code_lines": ("MAX_CONTENT_CHARACTERS", "the blocks of one page"),
    "instep.platform.llm.guard.has_markup": ("MAX_COMPLETION_BYTES", "of a completion"),
    "instep.interfaces.reference.pages.Descriptions.page_values": ("", "our own texts, once"),
    "instep.search.query.fuzzy.fuzzy_matches": ("MAX_QUERY_CHARACTERS", "the words of a query"),
    "instep.search.retrieve.read_at_once": ("MAX_INLINE_CHARACTERS", "longer ones in a thread"),
    "instep.interfaces.site.changelog.embeddable": (
        "MAX_CHANGELOG_INLINE_CHARACTERS",
        "longer ones are links",
    ),
    "instep.platform.text.line_ends.same_blocks": ("", "of 5,000 lines at most"),
}


NAMES_IN_TEMPLATES = re.compile(r"\.(\w+)")


@cache
def graph() -> CallGraph:
    return CallGraph()


@cache
def words_of_templates() -> frozenset[str]:
    texts = (path.read_text() for path in PACKAGE.rglob("*.html"))
    return frozenset(name for text in texts for name in NAMES_IN_TEMPLATES.findall(text))


def is_on_the_loop(function: Function) -> bool:
    """True for coroutines, and for functions that templates may call while the server handles requests."""
    if function.module.package in OF_TERMINALS:
        return False
    is_of_pages = function.module.package in {"dashboard", "oauth", "people", "site", "web"}
    name = function.node.name
    return function.is_async or bool(function.owner and is_of_pages and name in words_of_templates())


def ways_to_work(calls: CallGraph, bounded: Collection[str]) -> list[str]:
    """Every call path from the event loop to unbounded work."""
    found = calls.reaching(PRIMITIVES, bounded)
    ways = []
    for function in filter(is_on_the_loop, calls.functions.values()):
        targets = {target for call in function.calls for target in calls.targets(call)} - set(bounded)
        for step in sorted(targets):
            if step not in found and not is_primitive(step, PRIMITIVES):
                continue
            way = [function.name, step]
            while way[-1] in found:
                way.append(found[way[-1]])
            ways.append(" calls ".join(way))
    return ways


def test_the_event_loop_does_no_work_whose_cost_a_text_decides() -> None:
    assert ways_to_work(graph(), BOUNDED) == []


def test_bounded_functions_and_their_limits_exist() -> None:
    for name, (limit, reason) in BOUNDED.items():
        assert name in graph().functions, name
        assert reason
        assert not limit or hasattr(limits, limit), limit


@pytest.mark.parametrize(
    "text",
    [
        "from pygments.lexers import get_lexer_by_name\n\n"
        "def colored(code): return get_lexer_by_name('c').get_tokens(code)\n\n"
        "class Visit:\n    def text(self, html): return colored(html)\n\n"
        "async def show(visit: Visit): return visit.text('')\n",
        "from instep.interfaces.dashboard.review.diff_lines import read_hunks\n\n"
        "async def read_view(detail): return read_hunks(detail.diff)\n",
        "import yaml\n\ndef values(text): return yaml.load(text, Loader=yaml.SafeLoader)\n\n"
        "def pages(files): return list(map(values, files))\n\n"
        "async def sync(files): return pages(files)\n",
    ],
    ids=["lexers at a page view", "hunks of a draft", "front matter of a sync"],
)
def test_unbounded_work_is_noticed(text: str) -> None:
    assert ways_to_work(CallGraph([Module("instep.interfaces.site.made_up", "", text)]), ())
