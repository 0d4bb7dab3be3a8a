"""Has a language model translate the blocks that a change of the original touches, or a whole article."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from instep.drafting.writer.llm.located_edit import LocatedEdit
from instep.drafting.writer.llm.protection import Protection
from instep.drafting.writer.shapes import Article, Change
from instep.drafting.writer.translating.kept_signs import has_words, link_targets, lost_sign
from instep.drafting.writer.translating.root_changes import RootComparison
from instep.drafting.writer.translating.translation_prompt import (
    SourceBlock,
    TranslationReply,
    TranslationRequest,
    grouped_blocks,
    prompt_of,
)
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.llm.guard import read_reply
from instep.platform.llm.protocol import CompletionError, Model

# The numbers of title and description among the blocks of a request; blocks of the text begin with 1.
_TITLE, _DESCRIPTION = 0, -1
_MAX_CHARACTERS = {_TITLE: limits.MAX_TITLE_CHARACTERS, _DESCRIPTION: limits.MAX_DESCRIPTION_CHARACTERS}


@dataclass(frozen=True, slots=True)
class TitledMarkdown:
    title: str
    text: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class RootChange:
    """The original before and now, and its translation; a new translation has neither earlier text.

    `description` is that of the original, to translate with the text.
    """

    old: TitledMarkdown
    new: Article
    present: Article
    kept_terms: tuple[str, ...] = ()
    description: str = ""


class TranslationRefused(CompletionError):
    """The model's translation must not be proposed; the message is the end of a sentence that says why."""


async def translate_change(model: Model | None, change: RootChange, help_url: str) -> TitledMarkdown:
    """The translation of the original's new text: blocks that did not change stay byte for byte.

    A change without words, such as one of code, needs no model. Raises `CompletionError` without a usable
    reply, and `TranslationRefused` for one that must not be proposed.
    """
    try:
        request = await run_with_timeout(request_of, change, seconds=limits.MAX_WRITER_SECONDS)
        texts = await _ask(model, request)
        return await run_with_timeout(
            checked_translation, change, request, texts, help_url, seconds=limits.MODEL_CHECK_SECONDS
        )
    except TimeLimitExceeded:
        raise TranslationRefused("it takes too long to check") from None


async def _ask(model: Model | None, request: TranslationRequest) -> dict[int, str]:
    """The model's texts by the numbers of their blocks."""
    texts = dict[int, str]()
    for blocks in grouped_blocks(request.blocks):
        if model is None:
            raise CompletionError("No model translates it.", 0)
        completion = await model.complete(prompt_of(request, blocks))
        reply = read_reply(TranslationReply, completion.text)
        if reply is None:
            raise TranslationRefused("its reply did not have the requested format")
        texts |= {row.number: row.text.strip() for row in reply.blocks}
    return texts


def request_of(change: RootChange) -> TranslationRequest:
    """The blocks with words that changed; the title is one of them if it did."""
    comparison = _compared(change)
    earlier, blocks = comparison.earlier(), list[SourceBlock]()
    if change.old.title != change.new.title:
        blocks.append(SourceBlock(_TITLE, change.new.title, change.old.title, change.present.title))
    if has_words(change.description):
        blocks.append(SourceBlock(_DESCRIPTION, change.description))
    for index in comparison.new_indexes():
        block = comparison.new[index]
        if block.is_code and index in earlier and earlier[index][0].body != earlier[index][1].body:
            raise TranslationRefused("its code was not the same as the original's")
        if block.is_code or not has_words(block.words):
            continue
        old, present = (row.words for row in earlier[index]) if index in earlier else ("", "")
        blocks.append(SourceBlock(index + 1, block.words, old, present, "row" in block.shape.split()))
    context = (change.present.text or change.new.text)[: limits.MAX_TRANSLATION_CONTEXT_CHARACTERS]
    return TranslationRequest(
        change.new.locale, change.present.locale, change.new.title, context, tuple(blocks), change.kept_terms
    )


def checked_translation(
    change: RootChange, request: TranslationRequest, texts: Mapping[int, str], help_url: str
) -> TitledMarkdown:
    """The whole translation with the model's blocks; raises `TranslationRefused`."""
    comparison = _compared(change)
    targets = _targets(comparison)
    for block in request.blocks:
        _refuse_block(block, texts.get(block.number, ""), targets, change.kept_terms)
    bodies = {
        index: comparison.with_markup(index, texts.get(index + 1, comparison.new[index].words))
        for index in comparison.new_indexes()
    }
    text = comparison.text_with(bodies)
    if not comparison.has_shape_of_new(text):
        raise TranslationRefused("it does not have the same headings, paragraphs, lists and tables")
    title = texts.get(_TITLE, change.present.title)
    description = texts.get(_DESCRIPTION, change.description)
    _refuse_faults(change, TitledMarkdown(title, text, description), help_url)
    return TitledMarkdown(title, text, description)


def _refuse_block(
    block: SourceBlock, text: str, targets: Mapping[str, str], kept_terms: Collection[str]
) -> None:
    if not text:
        raise TranslationRefused(f"it leaves out “{block.text[:60]}”")
    most = _MAX_CHARACTERS.get(block.number)
    if most is not None and (len(text) > most or ("\n" in text and "\n" not in block.text)):
        raise TranslationRefused("its title or description is too long")
    if len(text) > 3 * len(block.text) + 100:
        raise TranslationRefused(f"it adds text to “{block.text[:60]}”")
    reason = lost_sign(block.text, text, is_row=block.is_row, targets=targets, kept_terms=kept_terms)
    if reason:
        raise TranslationRefused(reason)


def _refuse_faults(change: RootChange, written: TitledMarkdown, help_url: str) -> None:
    """Refuse what no text of a model may have; the original takes the place of a code change."""
    present = change.present if change.present.text else change.new
    removed = "".join(f"-{line}\n" for line in change.old.text.splitlines())
    protection = Protection(
        Change(change.new.title, change.new.text, removed), [], [change.new, present], help_url
    )
    lead = Article("", "", change.description)
    faults = [
        *protection.findings(present, [LocatedEdit(0, len(present.text), written.text)]),
        *protection.findings(lead, [LocatedEdit(0, len(lead.text), written.description)]),
        *protection.article_findings(written.title, ""),
    ]
    if refusal := next((fault.sentence for fault in faults if fault.refuses), None):
        raise TranslationRefused(refusal)


def _compared(change: RootChange) -> RootComparison:
    return RootComparison(change.old.text, change.new.text, change.present.text)


def _targets(comparison: RootComparison) -> dict[str, str]:
    """The original's address for each one that the present translation has in its place."""
    addresses = [(link_targets(old.body), link_targets(present.body)) for old, present in comparison.pairs()]
    return {
        translated: original
        for originals, translations in addresses
        if len(originals) == len(translations)
        for original, translated in zip(originals, translations, strict=True)
    }
