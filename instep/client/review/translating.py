"""Runs `instep translate`: have articles translated, or only count them and estimate the cost."""

from collections.abc import Mapping

from instep.client.ci.command import FAILED
from instep.client.ci.options import TranslateOptions
from instep.client.ci.printing import say
from instep.client.review.command import open_queue, print_answer
from instep.client.review.shapes import PlannedTranslations
from instep.platform.core.errors import AppError


def run_translate(options: TranslateOptions, environ: Mapping[str, str]) -> int:
    """Schedule the translations and return the exit code."""
    body = {"locale": options.locale, "articleId": options.article, "collectionId": options.collection}
    fields = {name: value for name, value in body.items() if value}
    try:
        plan = open_queue(environ, options.bot).translate({**fields, "dryRun": options.dry_run})
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    print_answer(plan, as_lines(plan, is_dry=options.dry_run), options.as_json)
    return 0


def as_lines(plan: PlannedTranslations, *, is_dry: bool) -> str:
    """The plan in sentences."""
    articles = "1 article" if plan.articles == 1 else f"{plan.articles} articles"
    verb = "would get" if is_dry else "gets" if plan.articles == 1 else "get"
    kind, reason = ("draft", "") if plan.model else ("place", ": no model is set up for translations")
    others = (
        (plan.translated, "translated"),
        # After the request, the scheduled articles wait too.
        (plan.waiting if is_dry else plan.waiting - plan.articles, "waiting"),
        (plan.left, "left for later"),
    )
    rest = ", ".join(f"{count} {words}" for count, words in others if count)
    lines = [
        f"{articles} {verb} a {kind} for a translation into {plan.locale}{reason}.",
        f"Others: {rest}." if rest else "",
    ]
    if plan.model:
        cost = f", {plan.model.cost} in the currency of its prices" if plan.model.cost else ""
        tokens = f"{plan.model.input_tokens:,} tokens in and {plan.model.output_tokens:,} out"
        lines.append(f"Estimate for {plan.model.name}: {tokens}{cost}.")
    return "\n".join(filter(None, lines))
