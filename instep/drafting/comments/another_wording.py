"""Another wording of a draft, for which people ask the language model with a thread of comments."""

from dataclasses import dataclass, replace

from psycopg.types.json import Jsonb

from instep.drafting.comments import queries
from instep.drafting.drafts.changing import change_proposal, edited_columns
from instep.drafting.drafts.pending import ProposalChanged, find_draft, find_pending, lock_pending
from instep.drafting.drafts.schemas import DraftTexts, DraftUpdate
from instep.drafting.tasks.rewording_reasons import reasons_of
from instep.drafting.writer.llm.rewording import Request, Rewording, section_around, split_at
from instep.platform.core import limits
from instep.platform.core.errors import InvalidState, NotFound
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import changed_lines
from instep.platform.text.line_ends import with_line_ends_of

EDITOR = "{model}, asked by {name}"


@dataclass(frozen=True, slots=True)
class WordingRequest:
    """The request to a model, and the draft whose text it is about, as it was then."""

    draft: DraftTexts
    request: Request


async def read_wording_request(ctx: Ctx, thread_id: str) -> WordingRequest:
    """The request that the model gets for a comment thread on a pending draft.

    The model rewords the section with the words that the thread quotes, or the changes of the draft if it
    quotes none. It reads the newest comments.
    """
    comments = await queries.list_thread(ctx, thread_id)
    if not comments:
        raise NotFound.of("comment")
    draft = await find_pending(ctx, comments[0].subject)
    title = draft.source_title or draft.title
    reasons = [draft.reason or "", *await reasons_of(ctx, draft.task_id, title, draft.evidence)]
    parts = split_at(draft.content, await lines_to_reword(draft, comments[0].block))
    request = Request("comment", draft.title, *parts, tuple(filter(None, reasons)))
    block = comments[0].block
    bodies = [f"> {block}"] if block else []
    bodies += [comment.body for comment in comments[-limits.MAX_WORDING_COMMENTS :]]
    return WordingRequest(draft, replace(request, comments=tuple(bodies)))


async def lines_to_reword(draft: DraftTexts, block: str | None) -> tuple[int, int]:
    """The first line, from 0, and the line after the last."""
    position = draft.content.find(block) if block else -1
    if position >= 0:
        return section_around(draft.content, draft.content.count("\n", 0, position) + 1)
    if draft.type != "edit":
        return 0, draft.content.count("\n") + 1
    lines = (await changed_lines(draft.base_content, draft.content)).added
    if not lines:
        raise InvalidState("The draft adds no words: select the words to change in a comment.")
    return min(lines), max(lines) + 1


@writes
async def reword_draft(ctx: Ctx, wish: WordingRequest, rewording: Rewording, model: str) -> DraftTexts:
    """Make a model's wording the text of the draft; the text before becomes an earlier version.

    It counts as edited by people, so that no later task replaces it.
    """
    draft = await lock_pending(ctx, wish.draft.id)
    if draft.text_digest != wish.draft.text_digest:
        raise ProposalChanged("Someone changed the draft in the meantime: read it, then ask again.")
    text = wish.request.before + rewording.text + wish.request.after
    content = with_line_ends_of(draft.content, text)
    columns = await edited_columns(draft, content, EDITOR.format(model=model, name=ctx.actor.name))
    columns |= {"model": model, "warnings": Jsonb([*dict.fromkeys([*draft.warnings, *rewording.warnings])])}
    update = DraftUpdate.model_validate({"contentMarkdown": content})
    await change_proposal(ctx, draft, update, columns)
    return await find_draft(ctx, draft.id)
