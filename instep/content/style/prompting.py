"""Gives a language model the style of the help center with each prompt."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from instep.content.style.schemas import GlossaryTerm, Style, StyleRule
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded
from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt

INTRODUCTION = (
    "The style of this help center. Follow it in all text that you write, unless a rule above says otherwise:"
)


def follow_style(model: Model, style: Style) -> Model:
    """The model with the style in its prompts; without a style, the model itself."""
    return model if style == Style() else StyledModel(model, style)


@dataclass(frozen=True, slots=True)
class StyledModel:
    """A model that gets a style with each prompt."""

    model: Model
    style: Style

    @property
    def name(self) -> str:
        return self.model.name

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        is_small = len(prompt.user) <= limits.MAX_INLINE_STYLE_CHARACTERS
        seconds = limits.MAX_STYLE_CHECK_SECONDS
        try:
            styled = await run_bounded(styled_prompt, prompt, self.style, seconds=seconds, is_small=is_small)
        except TimeLimitExceeded:
            raise CompletionError("The style takes too long to read.", 0) from None
        return await self.model.complete(styled, on_text)


def styled_prompt(prompt: Prompt, style: Style) -> Prompt:
    """The prompt with the rules and with the terms that its texts are about."""
    return replace(prompt, system=f"{prompt.system}\n\n{style_guide(style, prompt.user)}")


def style_guide(style: Style, text: str) -> str:
    lines, room = [INTRODUCTION], limits.MAX_STYLE_PROMPT_CHARACTERS
    for line in guide_lines(style, text):
        room -= len(line)
        if room < 0:
            break
        lines.append(f"- {line}")
    return "\n".join(lines)


def guide_lines(style: Style, text: str) -> Iterator[str]:
    yield from map(rule_line, style.rules)
    if style.heading_case:
        yield f"Write headings in {style.heading_case} case."
    if style.max_sentence_words:
        yield f"Write sentences of at most {style.max_sentence_words} words."
    if style.avoid_passive_should:
        yield "In English, don't write “should be done”: say who acts."
    words = text.casefold()
    if avoided := [word for word in style.avoid_words if word.casefold() in words]:
        yield f"Avoid these words: {', '.join(avoided)}."
    for term in style.terms:
        if any(variant.casefold() in words for variant in (term.term, *term.never_say)):
            yield term_line(term)


def rule_line(rule: StyleRule) -> str:
    good = f" Good: {rule.good}" if rule.good else ""
    bad = f" Bad: {rule.bad}" if rule.bad else ""
    return f"{rule.rule}{good}{bad}"


def term_line(term: GlossaryTerm) -> str:
    facts = (
        f"in texts in the language {term.locale}" if term.locale else "",
        f"meaning: {term.meaning}" if term.meaning else "",
        f"never: {', '.join(term.never_say)}" if term.never_say else "",
        "never translated" if term.do_not_translate else "",
    )
    return "; ".join(filter(None, (f"Write “{term.term}”", *facts)))
