"""Drift: list what articles state, and check it against what a checkout says."""

from pydantic import MISSING

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.content.articles.schemas import Article, Verification
from instep.content.articles.texts import verify_texts
from instep.content.articles.writer_queries import list_for_writer
from instep.content.parts.actions import list_used_parts
from instep.content.product_versions.actions import list_all_versions
from instep.content.product_versions.schemas import ProductVersion
from instep.drafting import writer
from instep.drafting.drift import queries
from instep.drafting.drift.code_readings import begin_readings, identify_codes, list_names_to_read
from instep.drafting.drift.drift_storing import finding_out, store_drift, with_part_findings
from instep.drafting.drift.queries import WaitingDrift
from instep.drafting.drift.schemas import CheckedDrift, DriftCheck, PastChangeIn, StatementsOut
from instep.drafting.tasks.checks import checked_texts, count_check
from instep.drafting.tasks.part_places import texts_of_parts
from instep.drafting.writer.drift.drift_reports import DriftReport, report_drift
from instep.drafting.writer.drift.past_changes import CodeToday, MovedFile, PastChange, TodaysLine
from instep.drafting.writer.drift.stated_names import stated_names
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.identity.access import proposes
from instep.platform.identity.audit import LastAction, find_last_action
from instep.platform.identity.schemas import Ctx

TOO_EXPENSIVE = "These commits take too much time or memory to compare: check fewer with --since."


async def list_statements(ctx: Ctx, models: LanguageModels = NO_MODELS) -> StatementsOut:
    """List the names and values that the articles state, to search for in a checkout.

    If the bot has a language model, `reads` has the articles that it can compare with code.
    """
    articles = await _articles(ctx, await _checked_version(ctx))
    texts = checked_texts(articles, ctx) + texts_of_parts(await list_used_parts(ctx), articles)
    stated = await run_with_timeout(
        stated_names, texts, limits.MAX_DRIFT_NAMES, seconds=limits.MAX_WRITER_SECONDS
    )
    has_model = await models.has_model(ctx, "drafts")
    own_texts = checked_texts(articles, ctx)
    return StatementsOut(
        names=list(stated.names),
        values=list(stated.values),
        paths=list(stated.paths),
        articles=len(articles),
        statements=stated.statements,
        reads=await list_names_to_read(ctx, own_texts) if has_model else [],
    )


@proposes
async def check_drift(ctx: Ctx, new: DriftCheck, models: LanguageModels = NO_MODELS) -> CheckedDrift:
    """Check the articles against the evidence from a checkout: commits that removed what the articles state.

    Each statement that the code contradicts becomes a draft or a place, once: pending ones are not created
    again, and statements that a reviewer has dismissed for good are skipped. If the whole history was read,
    published articles without a finding are verified against the commit. `instep drift` sends this request.
    With `code`, the language model compares articles with it in tasks of their own.

    If the help center has product versions, only the articles of the current one are checked.
    """
    await count_check(ctx)
    version = await _checked_version(ctx)
    articles, parts = await _articles(ctx, version), await list_used_parts(ctx)
    report = await _report(new, checked_texts(articles, ctx) + texts_of_parts(parts, articles))
    drifts = list(with_part_findings(report.articles, parts, articles))
    limit = limits.MAX_DRIFT_FINDINGS if new.limit is MISSING else new.limit
    is_read = bool(new.code) and await models.has_model(ctx, "drafts")
    digests = await identify_codes(new) if is_read else {}
    rows = await store_drift(ctx, new.commit, drifts, articles, limit, version)
    if new.is_partial is not True and len(rows) < limit:
        sound = articles.keys() - {id for finding, _ in rows for id in finding.wrong_articles}
        await verify_texts(ctx, sorted(sound), Verification("drift", new.commit), ctx.now)
    # A finding that people have dismissed for this commit does not wait again.
    findings = [finding_out(finding, row) for finding, row in rows if row is not None]
    readings = await begin_readings(ctx, new, digests, articles, version) if is_read else 0
    return CheckedDrift(new.commit, findings, list(articles), report.statements, readings)


async def list_waiting_drift(ctx: Ctx) -> list[WaitingDrift]:
    """List the drafts and places of checks that wait for review, by article."""
    return await queries.list_waiting(ctx, limits.MAX_DRIFT_FINDINGS)


async def find_last_check(ctx: Ctx) -> LastAction | None:
    """Find the last recent check of the bot's articles; the resource is the commit."""
    return await find_last_action(ctx, check_drift.__name__)


async def _checked_version(ctx: Ctx) -> ProductVersion | None:
    """The version of the product whose articles a checkout is compared with: the current one, if any."""
    return next((version for version in await list_all_versions(ctx) if version.is_current), None)


async def _articles(ctx: Ctx, version: ProductVersion | None) -> dict[str, Article]:
    position = None if version is None else version.position
    return {article.id: article for article in await list_for_writer(ctx, position)}


async def _report(new: DriftCheck, texts: list[writer.Article]) -> DriftReport:
    changes = [_change_of(change) for change in new.changes]
    moves = tuple(
        MovedFile(move.old, move.new, PastChange(move.commit, move.title, move.date, "", (), ()))
        for move in new.moves
    )
    today = CodeToday(frozenset(new.gone_names), frozenset(new.absent_keys), moves, new.home)
    try:
        return await run_with_timeout(report_drift, texts, changes, today, seconds=limits.MAX_WRITER_SECONDS)
    except TimeLimitExceeded:
        raise InvalidRequest(TOO_EXPENSIVE) from None
    except writer.InvalidDiff as error:
        raise InvalidRequest(error.message, details=[("changes.diff", error.message)]) from None


def _change_of(change: PastChangeIn) -> PastChange:
    standing = tuple(
        TodaysLine(row.file, row.line, row.file_today, row.line_today) for row in change.standing
    )
    return PastChange(change.commit, change.title, change.date, change.diff, tuple(change.names), standing)
