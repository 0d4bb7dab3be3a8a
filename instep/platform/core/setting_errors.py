"""Error messages about settings: the name of the setting, what its value must be, and an example."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

# Clauses by the type of the Pydantic error.
EXPECTATIONS = {
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "greater_than_equal": "it must be at least {ge}",
    "int_from_float": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_parsing_size": "it must be a whole number of fewer digits",
    "int_type": "it must be a whole number",
    "less_than_equal": "it must be at most {le}",
    "literal_error": "it must be {expected}",
    "path_type": "it must be a path, as a string in quotes",
    "string_pattern_mismatch": "it must consist of visible ASCII characters, without spaces and line breaks",
    "string_too_short": "it must have at least {min_length} characters",
    "string_type": "it must be a string in quotes",
}


def explain_unknown(name: str, prefix: str, names: Sequence[str]) -> str:
    """The message about an unknown setting, with the one of `names` that was probably meant."""
    # The prefix, which nearly all names share, would make all of them similar.
    by_word = {setting.removeprefix(prefix).lower(): setting for setting in names}
    similar = get_close_matches(name.removeprefix(prefix).lower(), by_word, n=1)
    advice = (
        f"did you mean {by_word[similar[0]]}?"
        if similar
        else "remove it; the article “Settings” of the documentation (docs/help) lists all settings."
    )
    return f"{name} is not a setting of Instep: {advice}"


def explain_value(name: str, problem: Mapping[str, Any], example: object) -> str:
    """The message about an invalid value, without the value, which may be secret; `problem` is Pydantic's."""
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        expectation = str(context["error"])
    else:
        expectation = EXPECTATIONS.get(problem["type"], "it can't be read").format(**context)
    ending = f", such as {name}={example}" if example is not None else ""
    return f"{name}: {expectation}{ending}"
