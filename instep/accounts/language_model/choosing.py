"""Chooses the language model for a bot's question: its owner's, or the installation's."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from starlette.datastructures import State

from instep.accounts.language_model.queries import find_setting
from instep.accounts.language_model.schemas import ModelSetting
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.budget import Budget, BudgetedModel, Enter, Prices, Purpose
from instep.platform.llm.client import HttpModel
from instep.platform.llm.factory import endpoint_of
from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt
from instep.platform.llm.provider import Provider

# The setting of a bot whose owner has set nothing.
NOTHING_SET = ModelSetting()
MAX_OPEN_MODELS = 256
UNREADABLE_KEY = "Its key can't be read with the secret keys of this installation: enter the key again."


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model for a purpose, the cheaper one for first readings, and the tokens that a task may use."""

    model: BudgetedModel
    reader: BudgetedModel
    tokens_per_task: int


@dataclass(frozen=True, slots=True)
class LanguageModels:
    """The language models that a process can ask: the installation's, and those that owners set."""

    default: Model | None = None
    outbound: OutboundClient | None = None

    async def choose(self, enter: Enter, purpose: Purpose, work_id: str | None = None) -> ChosenModel | None:
        """The model that the bot uses for a purpose, or None; `work_id` is what it works on."""
        async with enter() as ctx:
            setting = await find_setting(ctx) or NOTHING_SET
        model = self.model_of(ctx, setting, setting.model)
        if model is None or purpose not in setting.purposes:
            return None
        budget = budget_of(setting, purpose)
        chosen = BudgetedModel(model, enter, purpose, budget, setting.prices, work_id)
        reader = self.model_of(ctx, setting, setting.reader_model) if setting.reader_model else None
        cheaper = BudgetedModel(reader or model, enter, purpose, budget, setting.reader_prices, work_id)
        tokens_per_task = setting.tokens_per_task or settings().model_tokens_per_task
        return ChosenModel(chosen, cheaper if reader else chosen, tokens_per_task)

    async def has_model(self, ctx: Ctx, purpose: Purpose) -> bool:
        setting = await find_setting(ctx) or NOTHING_SET
        return purpose in setting.purposes and (setting.provider is not None or self.default is not None)

    async def priced(self, ctx: Ctx, purpose: Purpose) -> tuple[str | None, Prices]:
        """The name of the model for a purpose, None without one, and its prices, for estimates."""
        setting = await find_setting(ctx) or NOTHING_SET
        model = self.model_of(ctx, setting, setting.model) if purpose in setting.purposes else None
        return model.name if model else None, setting.prices

    def model_of(self, ctx: Ctx, setting: ModelSetting, name: str | None) -> Model | None:
        """The model with this name at the bot's endpoint, or the installation's."""
        if setting.provider is None or name is None:
            return self.default
        try:
            key = open_key(ctx, setting)
        except Unreadable:
            return UnreadableModel(f"{setting.provider}:{name}")
        provider = endpoint_of(setting.provider, name, setting.base_url, key)
        return open_endpoint(f"{setting.provider}:{name}", provider, self.client())

    def client(self) -> OutboundClient:
        """The client for endpoints that owners set, with the addresses that the operator allows."""
        return client_like(self.outbound, settings().model_allow)


NO_MODELS = LanguageModels()


def models_of(state: State) -> LanguageModels:
    """The models of a server."""
    return LanguageModels(state.model, state.outbound)


@dataclass(frozen=True, slots=True)
class UnreadableModel:
    """A model whose key was encrypted with a lost secret key."""

    name: str

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        raise CompletionError(UNREADABLE_KEY, 0)


def budget_of(setting: ModelSetting, purpose: Purpose) -> Budget:
    """Answers may use a share of the daily budget, so that the rest is left to tasks.

    Owners can't raise the operator's limit for the installation's model.
    """
    bound = settings().model_tokens_per_day
    tokens = bound if setting.tokens_per_day is None else setting.tokens_per_day
    tokens = min(tokens, bound) if setting.provider is None else tokens
    if purpose != "answers":
        exhausted = "The budget of this help center is used up for today."
        return Budget(tokens, exhausted, setting.cost_per_day, setting.cost_per_task)
    exhausted = "The budget of visitors' questions is used up for today."
    share, cost = limits.ANSWERS_BUDGET_SHARE, setting.cost_per_day
    return Budget(int(tokens * share), exhausted, None if cost is None else cost * Decimal(share))


def key_context(ctx: Ctx) -> tuple[str, ...]:
    """The associated data of an encrypted key: its table, column, workspace and row."""
    return "language_models", "sealed", ctx.bot.workspace_id, str(ctx.bot.id)


def open_key(ctx: Ctx, setting: ModelSetting) -> str | None:
    return None if setting.sealed is None else key_ring().open(setting.sealed, *key_context(ctx))


@lru_cache(MAX_OPEN_MODELS)
def open_endpoint(name: str, provider: Provider, client: OutboundClient) -> HttpModel:
    """The only object for an endpoint in a process: it remembers whether the provider is down."""
    return HttpModel(name, provider, client, settings().model_seconds)


@lru_cache(MAX_OPEN_MODELS)
def client_like(other: OutboundClient | None, allow: str) -> OutboundClient:
    """A client with another one's lookups and certificates, and with its own allowed addresses."""
    allow_list = settings().model_allow_list
    return OutboundClient(allow_list, other.lookup, other.trust) if other else OutboundClient(allow_list)
