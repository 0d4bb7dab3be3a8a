"""Operations on parts and variables."""

from collections import Counter

from instep.content.parts import queries
from instep.content.parts.expansion import holder_counts, references_in, refuse_bad_texts, shown_texts
from instep.content.parts.queries import PartText
from instep.content.parts.schemas import (
    FormerText,
    PartCreate,
    PartKind,
    PartUpdate,
    PartUse,
    SharedPart,
    UsedPart,
)
from instep.platform.core import limits
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.core.etags import refuse_stale
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.platform.core.markdown import render_bounded
from instep.platform.core.paging import Page, PageRequest
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded, run_with_timeout
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

SHOW_PART = "show_part"
# Texts that the refusal to delete a part names.
MAX_NAMED = 5


async def list_parts(ctx: Ctx, page: PageRequest) -> Page[SharedPart]:
    """List the parts and variables in all languages, by kind and name."""
    return await queries.list_page(ctx, page)


async def get_part(ctx: Ctx, part_id: str) -> SharedPart:
    """Get a part or variable in one language."""
    part = await queries.find(ctx, part_id)
    if part is None:
        raise NotFound.of("part")
    return part


async def offer_parts(ctx: Ctx, words: str, locale: str) -> list[PartText]:
    """List a few parts and variables whose reference contains the typed text, to insert one."""
    return await queries.list_offers(ctx, words, locale)


async def list_parts_with_words(ctx: Ctx, words: str) -> list[SharedPart]:
    """List the parts and variables with these words in their text, in any case."""
    return await queries.list_with_words(ctx, words)


async def list_part_uses(ctx: Ctx, part_id: str) -> list[PartUse]:
    """List the texts that a change of a part or variable touches, live ones first."""
    return await queries.list_uses(ctx, (await get_part(ctx, part_id)).reference)


async def list_part_locales(ctx: Ctx, kind: str, name: str) -> list[str]:
    """List the languages in which a part or variable has a text."""
    return await queries.list_locales(ctx, kind, name)


async def count_holders(ctx: Ctx) -> Counter[str]:
    """The number of parts and variables that contain each reference, in any language."""
    texts = [(row.reference, row.text) for row in await queries.all_texts(ctx)]
    is_small = sum(text.count("{{") for _, text in texts) <= limits.MAX_INLINE_REFERENCES
    return await run_bounded(holder_counts, texts, seconds=limits.MAX_PARTS_SECONDS, is_small=is_small)


async def list_former_texts(ctx: Ctx, part_id: str) -> list[FormerText]:
    """List the earlier texts of a part or variable, newest first."""
    return await queries.list_former_texts(ctx, part_id)


async def list_used_parts(ctx: Ctx) -> list[UsedPart]:
    """The parts that drafts or live articles show, with these articles."""
    return await queries.list_used(ctx)


@writes
async def create_part(ctx: Ctx, new: PartCreate) -> SharedPart:
    """Create a part or a variable in a language.

    `{{part.name}}` and `{{variable.name}}` show it in articles, in changelog entries and in other parts.
    """
    return await add_part(ctx, new)


class PartTaken(SlugTaken):
    """This part already has a text in this language: choose another language or name."""

    field = "locale"


async def add_part(ctx: Ctx, new: PartCreate) -> SharedPart:
    """Create a part, inside an action that is marked `@writes`."""
    locale = new.model_dump().get("locale") or ctx.bot.locale
    await _lock(ctx, new.kind, new.name)
    if await queries.find_named(ctx, new.kind, new.name, locale) is not None:
        raise PartTaken
    if len(await queries.all_texts(ctx)) >= limits.MAX_PARTS:
        raise InvalidState(f"A bot has at most {limits.MAX_PARTS} parts and variables: delete one first.")
    await _refuse_bad_text(ctx, new.kind, new.name, locale, new.text)
    part_id = new_id("part")
    await queries.insert(ctx, part_id, new.kind, new.name, locale, new.text)
    await _show_later(ctx, f"{new.kind}.{new.name}")
    return await get_part(ctx, part_id)


@writes
async def update_part(ctx: Ctx, part_id: str, update: PartUpdate, if_match: str | None = None) -> SharedPart:
    """Change the text of a part or variable; the articles with it follow in a moment."""
    return await change_part(ctx, part_id, update.text, if_match)


async def change_part(ctx: Ctx, part_id: str, text: str, if_match: str | None = None) -> SharedPart:
    """Change a part, inside an action that is marked `@writes`."""
    part = await get_part(ctx, part_id)
    await _lock(ctx, part.kind, part.name)
    part = await get_part(ctx, part_id)
    refuse_stale(if_match, part.etag)
    if text == part.text:
        return part
    await _refuse_bad_text(ctx, part.kind, part.name, part.locale, text)
    await queries.update(ctx, part.id, text)
    await _show_later(ctx, part.reference)
    return await get_part(ctx, part.id)


async def import_part(ctx: Ctx, new: PartCreate, source: str, key: str, digest: str) -> None:
    """Create or change a part from a source elsewhere, inside an action that is marked `@writes`.

    `key` is its reference in the source, and `digest` that of its text there.
    """
    locale = new.model_dump().get("locale") or ctx.bot.locale
    part = await queries.find_named(ctx, new.kind, new.name, locale)
    part = await add_part(ctx, new) if part is None else await change_part(ctx, part.id, new.text)
    await queries.keep_imported(ctx, part.id, source, key, digest)


@writes
async def delete_part(ctx: Ctx, part_id: str, if_match: str | None = None) -> str:
    """Delete a part or variable in one language; one that texts contain only if they can show another.

    Texts in a language without its own show the one in the bot's language.
    """
    part = await get_part(ctx, part_id)
    await _lock(ctx, part.kind, part.name)
    part = await get_part(ctx, part_id)
    refuse_stale(if_match, part.etag)
    fallback = await queries.find_named(ctx, part.kind, part.name, ctx.bot.locale)
    if fallback is None or fallback.id == part.id:
        await _refuse_if_used(ctx, part)
    else:
        texts_of = await _texts_by_language(ctx, part.locale)
        del texts_of[part.locale][part.reference]
        await _shown_texts(ctx, part.reference, texts_of, [part.locale])
    await queries.delete(ctx, part.id)
    await _show_later(ctx, part.reference)
    return part.id


async def show_in_other_language(ctx: Ctx, locale: str) -> None:
    """Show the texts of `locale` in languages without their own, from the caller's change of the bot on.

    Raises `InvalidState` for parts without a text in this language, and `PartProblem`.
    """
    if locale == ctx.bot.locale:
        return
    await queries.lock_parts(ctx)
    texts_of = await _texts_by_language(ctx, locale)
    references = {reference for texts in texts_of.values() for reference in texts}
    if missing := sorted(references - texts_of[locale].keys()):
        more = f" and {len(missing) - MAX_NAMED} more" if len(missing) > MAX_NAMED else ""
        raise InvalidState(
            f"Other languages show the texts of “{locale}” then, and it has none of "
            f"{', '.join(missing[:MAX_NAMED])}{more}: add them under Articles → Parts and variables first."
        )
    if references:
        try:
            await run_with_timeout(refuse_bad_texts, texts_of, locale, seconds=limits.MAX_PARTS_SECONDS)
        except TimeLimitExceeded:
            raise InvalidState("The parts take too long to show: use fewer references in them.") from None
    for reference in sorted(references):
        await _show_later(ctx, reference)


async def mark_uses(ctx: Ctx, reference: str) -> None:
    """Have the texts that contain a part rendered again."""
    await queries.mark_uses(ctx, reference)


async def _refuse_if_used(ctx: Ctx, part: SharedPart) -> None:
    uses = await queries.list_uses(ctx, part.reference)
    names = [f"“{use.title}”" for use in uses]
    names += [
        row.reference for row in await queries.all_texts(ctx) if part.reference in references_in(row.text)
    ]
    if names:
        more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
        raise InvalidState(
            f"“{part.reference}” is in {', '.join(names[:MAX_NAMED])}{more}: remove it there first."
        )


async def _lock(ctx: Ctx, kind: PartKind, name: str) -> None:
    await queries.lock_parts(ctx)
    await queries.lock_name(ctx, kind, name)


async def _refuse_bad_text(ctx: Ctx, kind: PartKind, name: str, locale: str, text: str) -> None:
    """Raise an error if the text, or a part that contains it, could not be shown with it in some language."""
    if kind == "variable" and ("\n" in text or "\r" in text or len(text) > limits.MAX_VARIABLE_CHARACTERS):
        limit = limits.MAX_VARIABLE_CHARACTERS
        raise InvalidValue("text", f"it must be one line of at most {limit} characters")
    reference, texts_of = f"{kind}.{name}", await _texts_by_language(ctx, locale)
    texts_of[locale][reference] = text
    codes = [locale] if locale != ctx.bot.locale else list(texts_of)
    for part_text in await _shown_texts(ctx, reference, texts_of, codes):
        await render_bounded(part_text)


async def _texts_by_language(ctx: Ctx, locale: str) -> dict[str, dict[str, str]]:
    texts_of: dict[str, dict[str, str]] = {ctx.bot.locale: {}, locale: {}}
    for row in await queries.all_texts(ctx):
        texts_of.setdefault(row.locale, {})[row.reference] = row.text
    return texts_of


async def _shown_texts(
    ctx: Ctx, reference: str, texts_of: dict[str, dict[str, str]], codes: list[str]
) -> list[str]:
    """The texts of a part in some languages; raises `PartProblem`, also for parts that contain it."""
    marks = sum(text.count("{{") for texts in texts_of.values() for text in texts.values())
    is_small = marks * len(codes) <= limits.MAX_INLINE_REFERENCES
    seconds = limits.MAX_PARTS_SECONDS
    try:
        return await run_bounded(
            shown_texts, reference, texts_of, ctx.bot.locale, codes, seconds=seconds, is_small=is_small
        )
    except TimeLimitExceeded:
        raise InvalidValue(
            "text", f"the parts with “{reference}” take too long to show: use fewer references"
        ) from None


async def _show_later(ctx: Ctx, reference: str) -> None:
    payload = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id), "reference": reference}
    await defer(ctx.tx, SHOW_PART, payload)
