"""The shapes of a bot's language model; only `ModelSetting` contains its key, encrypted."""

from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from typing import Literal

from instep.platform.llm.budget import ModelUse, Prices, Purpose
from instep.platform.web.shapes import Out

ProviderForm = Literal["openai", "anthropic"]
# The purposes that owners switch on and off. A migration adds a new one to models that have all others.
PURPOSES: tuple[Purpose, ...] = ("drafts", "new_articles", "answers", "editor", "translations")


@dataclass(frozen=True, slots=True)
class ModelFields:
    """The fields that an owner sets; without `provider` they are about the installation's model."""

    provider: ProviderForm | None = None
    base_url: str | None = None
    model: str | None = None
    reader_model: str | None = None
    purposes: list[Purpose] = field(default_factory=lambda: list(PURPOSES))
    tokens_per_day: int | None = None
    tokens_per_task: int | None = None
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    reader_input_price: Decimal | None = None
    reader_output_price: Decimal | None = None
    cost_per_day: Decimal | None = None
    cost_per_task: Decimal | None = None

    @property
    def prices(self) -> Prices:
        return Prices(self.input_price or Decimal(0), self.output_price or Decimal(0))

    @property
    def reader_prices(self) -> Prices:
        """The reader's prices; unset ones are those of the main model."""
        price, output_price = self.reader_input_price, self.reader_output_price
        return Prices(
            self.prices.input if price is None else price,
            self.prices.output if output_price is None else output_price,
        )


FIELDS = tuple(field.name for field in fields(ModelFields))


@dataclass(frozen=True, slots=True)
class ModelSetting(ModelFields):
    """One row of `language_models`, with the encrypted key and its last four characters."""

    sealed: bytes | None = field(default=None, repr=False)
    last_four: str | None = None


@dataclass(frozen=True, slots=True)
class PurposeUse(ModelUse):
    """The usage on one day for one purpose."""

    day: date
    purpose: Purpose
    calls: int


@dataclass(frozen=True, slots=True)
class UseOfDay:
    """The usage counted in a bot's daily budget, including reserved tokens."""

    tokens: int = 0
    cost: Decimal = Decimal(0)


class LanguageModelOut(Out):
    """The language model of a bot; `source` says who set it, `key` is the end of its key."""

    source: Literal["bot", "installation", "none"]
    provider: ProviderForm | None
    base_url: str | None
    model: str | None
    reader_model: str | None
    key: str | None
    purposes: list[Purpose]
    tokens_per_day: int
    tokens_per_task: int
    input_price: float | None
    output_price: float | None
    reader_input_price: float | None
    reader_output_price: float | None
    cost_per_day: float | None
    cost_per_task: float | None
    tokens_used_today: int
    cost_today: float


class ModelTestOut(Out):
    """The result of a small question to the model.

    `structured_output`: whether its replies follow a schema; otherwise Instep describes the form in words.
    `detail` has the provider's own words about an error.
    """

    model: str
    works: bool
    message: str
    detail: str | None
    milliseconds: int
    input_tokens: int | None
    output_tokens: int | None
    structured_output: bool | None
