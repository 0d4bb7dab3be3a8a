"""Types of the fixtures that change a limit or a setting for one test."""

from collections.abc import Callable
from types import ModuleType
from typing import Protocol

from instep.platform.core import limits

# The name and value of an environment variable.
SetSetting = Callable[[str, str], None]


class SetLimit(Protocol):
    """Sets a value in `limits` or in another module."""

    def __call__(self, name: str, value: float, module: ModuleType = limits) -> None: ...
