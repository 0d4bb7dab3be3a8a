"""Words that turn a sentence or a question into its opposite."""

import re

CONTRACTED_NOT = re.compile("\\b\\w+n['\u2019]t\\b|\\bcannot\\b")
# English words that change what a question asks.
POLARITY_WORDS = frozenset(
    (
        *("not", "no", "never", "without", "off", "out", "down", "disable", "remove", "delete", "export"),
        *("download", "uninstall", "unsubscribe", "deactivate", "unlock", "undo", "cancel", "stop"),
    )
)
NEGATION_WORDS = ("not", "never", "no", "none", "nobody", "nothing", "neither", "nor", "without", "unable")
_NEGATIONS = re.compile(
    rf"\b(?:{'|'.join(NEGATION_WORDS)}|cannot|nicht|kein\w*|nie|ohne|ne|pas|jamais"
    r"|sans|aucune?|sin|nunca|ning\w+|non|mai|senza|não|sem|niet|geen|nooit|zonder|inte|ikke)\b|ない|ません|不|没",
    re.IGNORECASE,
)


def is_negated(text: str) -> bool:
    return negation_count(text) > 0


def negation_count(text: str) -> int:
    return len(_NEGATIONS.findall(CONTRACTED_NOT.sub(" not ", text)))
