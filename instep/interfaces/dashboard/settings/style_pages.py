"""The style of a help center: rules in plain words, a glossary, and checks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.responses import Response

from instep.content.style import actions
from instep.content.style.schemas import GlossaryTerm, HelpCenterStyleOut, Style, StyleRule
from instep.content.style.starters import STARTERS
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.settings.frame import show_settings
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import filled, whole_number
from instep.platform.web.errors import body_from
from instep.platform.web.signed_in import private_headers

Entry = TypeVar("Entry")
BELOW = "settings/style"
HEADING_CASES = (
    ("", "Not checked"),
    ("sentence", "Sentence case: Invite your team"),
    ("title", "Title case: Invite Your Team (English only)"),
)

LABELS = {"avoidWords": "Words to avoid", "maxSentenceWords": "Longest sentence"}
router = PageRouter("settings/style")


@router.get()
async def show_style(page: BotPage, refusal: AppError | None = None) -> Response:
    style, words = await actions.find_style(page.ctx), page.query.get("q", "").strip()
    terms = sorted(style.terms, key=lambda term: term.term.casefold())
    matches = [
        term for term in terms if words.casefold() in " ".join((term.term, *term.never_say)).casefold()
    ]
    rules = {rule.rule for rule in style.rules}
    edited_term = (page.query.get("term"), page.query.get("language") or None)
    return await show_settings(
        page,
        "style",
        refusal,
        LABELS,
        style=style,
        words=words,
        matches=matches[: limits.MAX_LISTED_TERMS],
        match_count=len(matches),
        rule=values_of(rule for rule in style.rules if rule.rule == page.query.get("rule")),
        term=values_of(term for term in terms if identity_of(term) == edited_term),
        starters=[(rule.rule, rule.rule, rule.good) for rule in STARTERS if rule.rule not in rules],
        heading_cases=HEADING_CASES,
        limits=limits,
    )


def values_of(entries: Iterable[BaseModel]) -> defaultdict[str, Any]:
    """The values of the entry that is edited; empty for a new one."""
    return defaultdict(str, next((entry.model_dump() for entry in entries), {}))


def identity_of(term: GlossaryTerm) -> tuple[str, str | None]:
    return term.term, term.locale


@router.post(role=Role.EDITOR, refused=show_style, form_bytes=limits.MAX_STYLE_FORM_BYTES)
async def save_checks(page: BotPage) -> Response:
    """Save the checks: each line of the words to avoid is one."""
    form = page.form
    words = form.get("avoid-words", "").splitlines()
    limit = form.get("max-sentence-words", "").strip()
    values = {
        "avoidWords": [line for line in words if line.strip()],
        "headingCase": form.get("heading-case") or None,
        # Anything but a number is refused by the shape.
        "maxSentenceWords": (whole_number(limit) or limit) if limit else None,
        "avoidPassiveShould": "avoid-passive-should" in form,
    }
    await update(page, **values)
    return page.leave(BELOW, "Saved.")


@router.post("rules", Role.EDITOR, refused=show_style, form_bytes=limits.MAX_STYLE_FORM_BYTES)
async def save_rule(page: BotPage) -> Response:
    """Add a rule, or replace the one in `was-rule`; a form without a rule deletes it."""
    form = page.form
    sent = {"rule": form.get("rule"), "good": filled(form.get("good")), "bad": filled(form.get("bad"))}
    rule = body_from(StyleRule, sent) if "rule" in form else None
    style = await actions.find_style(page.ctx, lock=True)
    numbers = [number for number, row in enumerate(style.rules) if row.rule == form.get("was-rule")]
    await update(page, rules=replaced(style.rules, numbers, rule))
    return page.leave(BELOW, "Saved the rule.")


@router.post("terms", Role.EDITOR, refused=show_style, form_bytes=limits.MAX_STYLE_FORM_BYTES)
async def save_term(page: BotPage) -> Response:
    """Add a term, or replace the one in `was-term` and `was-locale`; a form without a term deletes it."""
    form = page.form
    sent = {
        "term": form.get("term"),
        "meaning": filled(form.get("meaning")),
        "neverSay": [words for words in form.get("never-say", "").split(",") if words.strip()],
        "locale": filled(form.get("term-locale")),
        "doNotTranslate": "do-not-translate" in form,
    }
    term = body_from(GlossaryTerm, sent) if "term" in form else None
    style = await actions.find_style(page.ctx, lock=True)
    was = form.get("was-term"), form.get("was-locale") or None
    numbers = [number for number, row in enumerate(style.terms) if identity_of(row) == was]
    await update(page, terms=replaced(style.terms, numbers, term))
    return page.leave(BELOW, "Saved the term.")


@router.post("starters", Role.EDITOR, refused=show_style, form_bytes=limits.MAX_STYLE_FORM_BYTES)
async def add_starters(page: BotPage) -> Response:
    chosen = page.form.all("starters")
    rules = (await actions.find_style(page.ctx, lock=True)).rules
    added = set(chosen) - {rule.rule for rule in rules}
    await update(page, rules=[*rules, *(rule for rule in STARTERS if rule.rule in added)])
    return page.leave(BELOW, "Added the rules.")


def replaced(entries: Sequence[Entry], numbers: Sequence[int], new: Entry | None) -> list[Entry]:
    """The entries with a new one instead of those with these numbers, or at the end."""
    start = numbers[0] if numbers else len(entries)
    rest = [entry for number, entry in enumerate(entries) if number >= start and number not in numbers]
    return [*entries[:start], *([] if new is None else [new]), *rest]


async def update(page: BotPage, **fields: Any) -> HelpCenterStyleOut:
    return await actions.update_style(page.ctx, body_from(Style, fields))


@router.get("file")
async def download_style(page: BotPage) -> Response:
    """The style as a file for `instep check --style`."""
    headers = {**private_headers(), "Content-Disposition": 'attachment; filename="style.json"'}
    text = (await actions.find_style(page.ctx)).model_dump_json(by_alias=True, indent=2)
    return Response(f"{text}\n", headers=headers, media_type="application/json")
