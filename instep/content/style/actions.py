"""Operations on the style of a help center."""

from collections.abc import Sequence

from instep.content.style import queries
from instep.content.style.schemas import HelpCenterStyleOut, Style
from instep.platform.core.errors import InvalidValue
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx


async def get_style(ctx: Ctx) -> HelpCenterStyleOut:
    """Get the style of the help center: rules in plain words, a glossary, and checks."""
    return HelpCenterStyleOut.of_row(await find_style(ctx))


async def find_style(ctx: Ctx, *, lock: bool = False) -> Style:
    return Style.model_validate(await queries.find_style(ctx, lock=lock) or {})


@writes
async def update_style(ctx: Ctx, sent: Style) -> HelpCenterStyleOut:
    """Change the style of the help center; each list that is sent replaces the previous one."""
    sent_fields = {name: getattr(sent, name) for name in sent.model_fields_set}
    style = (await find_style(ctx, lock=True)).model_copy(update=sent_fields)
    refuse_repeated("rules", [(rule.rule, None) for rule in sent.rules])
    refuse_repeated("terms", [(term.term, term.locale) for term in sent.terms])
    await queries.store_style(ctx, style.model_dump_json(by_alias=True))
    return HelpCenterStyleOut.of_row(style)


def refuse_repeated(field: str, rows: Sequence[tuple[str, str | None]]) -> None:
    """Raise `InvalidValue` if two texts of one language differ in case at most."""
    keys = set[tuple[str, str | None]]()
    for text, locale in rows:
        if (key := (text.casefold(), locale)) in keys:
            raise InvalidValue(field, f"“{text}” is listed twice: merge the two")
        keys.add(key)
