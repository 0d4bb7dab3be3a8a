"""The owner's operations on a bot's language model: show, set, unset and test it."""

import json
import re
import time
from dataclasses import replace
from datetime import timedelta
from typing import get_args

from instep.accounts.language_model import queries
from instep.accounts.language_model.choosing import NOTHING_SET, LanguageModels, budget_of, key_context
from instep.accounts.language_model.schemas import (
    FIELDS,
    PURPOSES,
    LanguageModelOut,
    ModelFields,
    ModelSetting,
    ModelTestOut,
    ProviderForm,
    PurposeUse,
)
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.crypto import key_ring
from instep.platform.core.errors import InvalidValue, NotFound
from instep.platform.core.outbound.allowed import refuse_url
from instep.platform.core.outbound.urls import parse_url
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.budget import BudgetedModel, Enter
from instep.platform.llm.client import HttpModel
from instep.platform.llm.protocol import Completion, CompletionError, Model, Prompt

VISIBLE = re.compile(r"[\x21-\x7e]+")
# Fields that hold tokens or money, none of which may be negative.
NUMBERS = [name for name in FIELDS if name.startswith("tokens") or "price" in name or name.startswith("cost")]
# For a shorter key, the last four characters would reveal too much.
MIN_SHOWN_KEY_CHARACTERS = 12
DAYS_SCHEMA = {
    "type": "object",
    "properties": {"days": {"type": "integer"}},
    "required": ["days"],
    "additionalProperties": False,
}
# The prompt does not ask for JSON, so a JSON reply shows that the provider follows the schema.
TEST_PROMPT = Prompt("Answer briefly.", "How many days does a week have?", DAYS_SCHEMA, 2_000)


async def show_model(ctx: Ctx) -> LanguageModelOut:
    """Show a bot's language model without its key, and its usage today."""
    setting, use = await queries.find_setting(ctx) or NOTHING_SET, await queries.use_of_today(ctx)
    default = settings().model
    source = "bot" if setting.provider else "installation" if default else "none"
    return LanguageModelOut.of_row(
        setting,
        source=source,
        model=setting.model or default,
        key=f"…{setting.last_four}" if setting.last_four else None,
        tokens_per_day=budget_of(setting, "drafts").tokens_per_day,
        tokens_per_task=setting.tokens_per_task or settings().model_tokens_per_task,
        tokens_used_today=use.tokens,
        cost_today=float(use.cost),
    )


async def find_fields(ctx: Ctx) -> ModelFields:
    """Find the settings of a bot's owner, or the defaults."""
    return await queries.find_setting(ctx) or NOTHING_SET


async def list_uses(ctx: Ctx, days: int) -> list[PurposeUse]:
    """List the usage of the last days, by day and purpose."""
    return await queries.list_uses(ctx, (ctx.now - timedelta(days=days - 1)).date())


@writes
async def set_model(ctx: Ctx, new: ModelFields, key: str | None = None) -> str:
    """Set the language model of a bot; the audit names the fields that have changed.

    The key is stored encrypted and never shown again. Without a new one the stored key is kept, unless the
    address changes: it is only sent to the address that it was entered for.
    """
    _refuse_bad(new)
    old = await queries.find_setting(ctx, lock=True) or NOTHING_SET
    setting = ModelSetting(**{name: getattr(new, name) for name in FIELDS})
    if key:
        sealed = key_ring().seal(_read_key(key), *key_context(ctx))
        setting = replace(setting, sealed=sealed, last_four=_end_of(key))
    elif (old.provider, old.base_url) == (new.provider, new.base_url):
        setting = replace(setting, sealed=old.sealed, last_four=old.last_four)
    if new.provider and not new.base_url and setting.sealed is None:
        raise InvalidValue("key", "the provider needs it; the stored key is sent to no other address")
    await queries.put_setting(ctx, setting)
    changed = [name for name in FIELDS if getattr(old, name) != getattr(new, name)]
    return ", ".join([*changed, *(["key"] if key else [])]) or "nothing"


@writes
async def unset_model(ctx: Ctx) -> str:
    """Forget a bot's language model and its key; the bot then uses the installation's, if any."""
    if not await queries.delete_setting(ctx):
        raise NotFound("No language model is set for this help center.")
    return "all"


async def test_model(models: LanguageModels, enter: Enter) -> list[ModelTestOut]:
    """Ask the bot's model, and its model for first readings, one small question each."""
    async with enter() as ctx:
        setting = await queries.find_setting(ctx) or NOTHING_SET
        names = dict.fromkeys((setting.model, setting.reader_model or setting.model))
        chosen = [models.model_of(ctx, setting, name) for name in names]
    return [await _test(model, enter, setting) for model in _required(chosen)]


def _required(models: list[Model | None]) -> list[Model]:
    there = [model for model in models if model is not None]
    if not there:
        raise NotFound("No language model is set for this help center: set one first.")
    return there


async def _test(model: Model, enter: Enter, setting: ModelSetting) -> ModelTestOut:
    # A new object asks even if the provider was down, and in the newest form.
    if isinstance(model, HttpModel):
        model = HttpModel(model.name, model.provider, model.client, limits.MODEL_TEST_SECONDS)
    budgeted = BudgetedModel(model, enter, "test", budget_of(setting, "test"), setting.prices)
    began = time.perf_counter()
    outcome = await _outcome(budgeted)
    milliseconds = round((time.perf_counter() - began) * 1_000)
    is_error = isinstance(outcome, CompletionError)
    return ModelTestOut(
        model=model.name,
        works=not is_error,
        message=outcome.message if isinstance(outcome, CompletionError) else "It answers.",
        detail=outcome.detail or None if isinstance(outcome, CompletionError) else None,
        milliseconds=milliseconds,
        input_tokens=outcome.input_tokens,
        output_tokens=None if outcome.input_tokens is None else outcome.output_tokens,
        structured_output=None if isinstance(outcome, CompletionError) else _keeps_form(model, outcome.text),
    )


async def _outcome(model: Model) -> Completion | CompletionError:
    try:
        return await model.complete(TEST_PROMPT)
    except CompletionError as error:
        return error


def _keeps_form(model: Model, text: str) -> bool:
    """True if the provider has accepted the schema and the reply follows it."""
    try:
        reply = json.loads(text)
    except ValueError:
        return False
    has_schema = not isinstance(model, HttpModel) or model.provider.has_schema
    return has_schema and isinstance(reply, dict) and isinstance(reply.get("days"), int)


def _read_key(key: str) -> str:
    if not VISIBLE.fullmatch(key) or len(key) > limits.MAX_MODEL_KEY_CHARACTERS:
        raise InvalidValue("key", "it must be a key as the provider shows it, without spaces or line breaks")
    return key


def _end_of(key: str) -> str:
    """The end of a key, for owners to recognize it; a short key is not shown at all."""
    return key[-4:] if len(key) >= MIN_SHOWN_KEY_CHARACTERS else "****"


def _refuse_bad(new: ModelFields) -> None:
    if new.provider is None:
        if new.base_url or new.model or new.reader_model:
            raise InvalidValue("provider", "choose one for this model")
    elif new.provider not in get_args(ProviderForm):
        raise InvalidValue("provider", f"it must be one of {', '.join(get_args(ProviderForm))}")
    else:
        _refuse_bad_name("model", new.model or "")
        _refuse_bad_name("reader model", new.reader_model or new.model or "")
        _refuse_bad_address(new.base_url)
    if not set(new.purposes) <= set(PURPOSES):
        raise InvalidValue("purposes", f"each must be one of {', '.join(PURPOSES)}")
    _refuse_bad_numbers(new)


def _refuse_bad_name(field: str, name: str) -> None:
    if not VISIBLE.fullmatch(name) or len(name) > limits.MAX_MODEL_NAME_CHARACTERS:
        raise InvalidValue(field, "enter its name as the provider spells it, such as gpt-5-mini")


def _refuse_bad_address(base_url: str | None) -> None:
    if base_url is None:
        return
    if len(base_url) > limits.MAX_MODEL_URL_CHARACTERS or "?" in base_url:
        raise InvalidValue("address", "it must be short and must not have a query")
    try:
        refuse_url(parse_url(base_url), settings().model_allow_list)
    except ValueError as error:
        raise InvalidValue("address", str(error)) from None


def _refuse_bad_numbers(new: ModelFields) -> None:
    for name in NUMBERS:
        number = getattr(new, name)
        if number is not None and name.startswith("tokens") and number != int(number):
            raise InvalidValue(name.replace("_", " "), "it must be a whole number")
        if number is not None and not 0 <= number <= limits.MAX_MODEL_BUDGET:
            raise InvalidValue(name.replace("_", " "), f"it must be from 0 to {limits.MAX_MODEL_BUDGET:,}")
    if new.tokens_per_task is not None and new.tokens_per_task < limits.MIN_TASK_TOKENS:
        raise InvalidValue("tokens per task", f"it must be at least {limits.MIN_TASK_TOKENS:,}")
    has_prices = new.input_price is not None and new.output_price is not None
    if not has_prices and (new.cost_per_day is not None or new.cost_per_task is not None):
        raise InvalidValue("cost", "enter the prices per million tokens too: it is computed from them")
