"""The language model of a help center: its provider and key, purposes, budgets, a test, and its usage."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from instep.accounts.language_model import actions
from instep.accounts.language_model.choosing import models_of
from instep.accounts.language_model.schemas import (
    PURPOSES,
    ModelFields,
    ModelTestOut,
    ProviderForm,
    PurposeUse,
)
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter, enter_bot, find_page
from instep.interfaces.dashboard.running.visit_pages import BAR_GAP, BAR_WIDTH, CHART_HEIGHT
from instep.interfaces.dashboard.settings.frame import SECTION, show_settings
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError, InvalidValue
from instep.platform.identity.access import hold_open
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from instep.platform.llm.budget import Purpose
from instep.platform.web.forms import Form
from instep.platform.web.signed_in import require_person

BELOW = "settings/model"
# The choice of the installation's own model.
INSTALLATION = "installation"
WORDS: dict[str, tuple[str, str | None]] = {
    "drafts": ("Drafts", "Reads each code change with the related articles and writes the edits."),
    "new_articles": (
        "New articles",
        "Writes the articles that you request and those that visitors asked for.",
    ),
    "answers": ("Answers", "Answers visitors from your articles, with at most half of the daily budget."),
    "editor": ("Editor", "Writes, shortens or corrects text in the editor, on request."),
    "translations": ("Translations", "Translates the parts that change in the original of a translation."),
    "test": ("Tests", None),
}
SHOWN_DAYS = 30
router = PageRouter("settings/model", Role.OWNER)


class Preset(NamedTuple):
    """Initial values for the form: the link's text, the provider's API form, its URL, a model."""

    words: str
    provider: ProviderForm
    base_url: str
    example: str


PRESETS = {
    "openai": Preset("OpenAI", "openai", "", "gpt-5-mini"),
    "anthropic": Preset("Anthropic", "anthropic", "", "claude-sonnet-4-5"),
    "azure": Preset(
        "Azure OpenAI", "openai", "https://YOUR-RESOURCE.openai.azure.com/openai/v1", "your deployment name"
    ),
    "openrouter": Preset("OpenRouter", "openai", "https://openrouter.ai/api/v1", "openai/gpt-5-mini"),
    "ollama": Preset("Ollama", "openai", "http://localhost:11434/v1", "qwen3:8b"),
    "vllm": Preset("vLLM", "openai", "http://localhost:8000/v1", "Qwen/Qwen3-8B"),
    "lmstudio": Preset("LM Studio", "openai", "http://localhost:1234/v1", "qwen/qwen3-8b"),
}


class Bar(NamedTuple):
    """One purpose's part of a day's bar, in the units of the chart."""

    purpose: Purpose
    x: int
    y: float
    height: float


@router.get()
async def show_model(page: BotPage) -> Response:
    return await model_page(page)


async def model_page(
    page: BotPage, refusal: AppError | None = None, tests: Sequence[ModelTestOut] = ()
) -> Response:
    model, setting = await actions.show_model(page.ctx), await actions.find_fields(page.ctx)
    uses = await actions.list_uses(page.ctx, SHOWN_DAYS)
    preset = PRESETS.get(page.query.get("preset", ""))
    return await show_settings(
        page,
        "model",
        refusal,
        model=model,
        tests=tests,
        presets=[(f"?preset={name}", each.words, each is preset) for name, each in PRESETS.items()],
        values=defaultdict(str, page.form if refusal else form_values(setting, preset)),
        ticked_purposes=page.form.all("purposes") if refusal else setting.purposes,
        example=(preset or PRESETS["openai"]).example,
        providers=provider_options(),
        purposes=[(name, *WORDS[name]) for name in PURPOSES],
        installation=settings(),
        used_purposes=[(name, WORDS[name][0]) for name in WORDS if name in {use.purpose for use in uses}],
        uses=uses,
        bars=bars_of(uses, page.ctx.now.date()),
        bar_width=BAR_WIDTH,
        chart_width=(BAR_WIDTH + BAR_GAP) * SHOWN_DAYS,
        chart_height=CHART_HEIGHT,
    )


def provider_options() -> list[tuple[str, str, str | None]]:
    options: list[tuple[str, str, str | None]] = [
        ("openai", "OpenAI-compatible", "OpenAI, most other providers, and your own servers."),
        ("anthropic", "Anthropic", None),
    ]
    default = settings().model
    return [*options, (INSTALLATION, "This installation's model", default)] if default else options


def form_values(setting: ModelFields, preset: Preset | None) -> dict[str, Any]:
    """The values in the form: the current ones, or those of a preset."""
    values = {name: value for name, value in asdict(setting).items() if value is not None}
    provider = setting.provider or (INSTALLATION if settings().model else "openai")
    if preset is not None:
        values |= {"base_url": preset.base_url, "model": "", "reader_model": ""}
    return {**values, "provider": preset.provider if preset else provider}


# A provider gets the texts of articles and the questions of visitors.
@router.post(recent_sign_in=True, refused=model_page)
async def save_model(page: BotPage) -> Response:
    await actions.set_model(page.ctx, fields_of(page.form), page.form.get("key", "").strip() or None)
    return page.leave(BELOW, "Saved: press Test to check that the model answers.")


def fields_of(form: Form) -> ModelFields:
    provider = form.get("provider", "")
    texts: dict[str, Any] = {
        name: form.get(name, "").strip() or None for name in ("base_url", "model", "reader_model")
    }
    values: dict[str, Any] = {
        "purposes": [purpose for purpose in PURPOSES if purpose in form.all("purposes")],
        **{name: number_in(form, name) for name in actions.NUMBERS},
    }
    # The form may still contain the values of another provider.
    return ModelFields(**({} if provider == INSTALLATION else {"provider": provider, **texts}), **values)


def number_in(form: Form, name: str) -> Decimal | None:
    """The number in a field, with or without thousands separators; None if it is empty."""
    text = form.get(name, "").strip().replace(",", "").replace(" ", "")
    try:
        number = Decimal(text) if text else None
    except InvalidOperation:
        number = Decimal("nan")
    if number is not None and not number.is_finite():
        raise InvalidValue(name.replace("_", " "), "it must be a number such as 250000 or 0.25")
    return number


@router.post("forget", refused=model_page)
async def forget_model(page: BotPage) -> Response:
    await actions.unset_model(page.ctx)
    return page.leave(BELOW, "Removed the model and its key.")


@router.route("test", "POST")
@require_person(Role.OWNER)
async def try_model(request: Request, person: Person) -> Response:
    """Ask the model one small question. No database connection is held in the meantime."""
    enter = partial(enter_bot, request, person)
    async with enter() as ctx:
        await hold_open(ctx.tx, ctx.workspace_id)
    refusal, tests = None, list[ModelTestOut]()
    try:
        tests = await actions.test_model(models_of(request.app.state), enter)
    except AppError as error:
        refusal = error
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        return await model_page(await find_page(request, person, tx, SECTION), refusal, tests)


def bars_of(uses: Sequence[PurposeUse], today: date) -> list[Bar]:
    """The parts of each day's bar, stacked by purpose."""
    totals: dict[date, int] = {}
    for use in uses:
        totals[use.day] = totals.get(use.day, 0) + use.tokens
    highest, first = max(totals.values(), default=0) or 1, today - timedelta(days=SHOWN_DAYS - 1)
    bars, tops = [], dict.fromkeys(totals, float(CHART_HEIGHT))
    for use in uses:
        height = round(use.tokens * CHART_HEIGHT / highest, 2)
        tops[use.day] = round(tops[use.day] - height, 2)
        bars.append(Bar(use.purpose, (use.day - first).days * (BAR_WIDTH + BAR_GAP), tops[use.day], height))
    return bars
