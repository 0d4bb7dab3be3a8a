"""How a test gives a limit or a setting another value, which ends with the test."""

from collections.abc import Callable
from types import ModuleType
from typing import Protocol

from instep.platform.core import limits

# Name and value of an environment variable.
SetSetting = Callable[[str, str], None]


class SetLimit(Protocol):
    """One of `limits`, or a bound inside another module."""

    def __call__(self, name: str, value: float, module: ModuleType = limits) -> None: ...
