"""Variables of the environment that code assigns to names of its own: one setting under two names."""

import re
from collections.abc import Mapping, Sequence

from instep.writer.facts.additions import Addition

_ASSIGNMENT = re.compile(r"(?<![\w-])([\w-]++)[\"']?\s*[:=](.*)")
# `process.env.NAME`, `ENV["NAME"]`, `os.getenv("NAME")`, `Field(env="NAME")`, `${NAME}`.
_READ_VARIABLE = re.compile(r"""(?:(?i:env|config)[\w.:]{0,20}[(\[.=]\s*["']?|\$\{?)([A-Z][A-Z0-9_]+)""")


def variables_read(additions: Sequence[Addition]) -> Mapping[str, str]:
    """By name the new variable from which the code assigns its value."""
    names = {addition.name for addition in additions}
    variables: dict[str, str] = {}
    for addition in additions:
        assignment = _ASSIGNMENT.search(addition.source.text)
        if assignment and assignment[1] == addition.name:
            read_names = [name for name in _READ_VARIABLE.findall(assignment[2]) if name in names]
            if read_names and addition.name not in read_names:
                variables[addition.name] = read_names[0]
    return variables
