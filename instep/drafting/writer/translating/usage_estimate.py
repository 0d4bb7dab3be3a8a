"""Estimates the tokens that the translation of whole articles takes."""

from collections.abc import Iterable
from math import ceil

from instep.platform.core import limits
from instep.platform.llm.protocol import tokens_of_bytes

# The instructions and the form of the reply in each prompt.
_PROMPT_TOKENS = 700
# A translation is often longer than its original, and a reply is JSON.
_GROWTH = 1.3


def estimated_tokens(sizes: Iterable[int]) -> tuple[int, int]:
    """The input and output tokens for articles of these sizes in bytes."""
    input_tokens = output_tokens = 0
    for size in sizes:
        tokens = tokens_of_bytes(size)
        context = tokens_of_bytes(min(size, limits.MAX_TRANSLATION_CONTEXT_CHARACTERS))
        prompts = ceil(tokens / limits.MAX_TRANSLATED_TOKENS)
        input_tokens += tokens + prompts * (_PROMPT_TOKENS + context)
        output_tokens += ceil(tokens * _GROWTH)
    return input_tokens, output_tokens
