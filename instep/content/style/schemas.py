"""The shapes of a help center's style (API: `GET /style` and `PATCH /style`)."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from instep.platform.core import limits
from instep.platform.text.characters import with_single_spaces
from instep.platform.web.shapes import NOT_BLANK, Body, Locale, Out, Text, integral, not_blank

HeadingCase = Literal["sentence", "title"]
RuleText = Annotated[
    Text,
    Field(max_length=limits.MAX_STYLE_RULE_CHARACTERS, json_schema_extra={"pattern": NOT_BLANK}),
    AfterValidator(not_blank),
    AfterValidator(with_single_spaces),
]
TermText = Annotated[
    Text,
    Field(max_length=limits.MAX_GLOSSARY_TERM_CHARACTERS, json_schema_extra={"pattern": NOT_BLANK}),
    AfterValidator(not_blank),
    AfterValidator(with_single_spaces),
]


class StyleRule(Body):
    """A rule in plain words, with examples."""

    rule: Annotated[RuleText, Field(examples=["Address the reader as “you”."])]
    good: RuleText | None = None
    bad: RuleText | None = None


class GlossaryTerm(Body):
    """A term and the words that it replaces; `locale` null means all languages."""

    term: Annotated[TermText, Field(examples=["sign in"])]
    meaning: RuleText | None = None
    never_say: list[TermText] = Field(
        default_factory=list, max_length=limits.MAX_TERM_VARIANTS, examples=[["log in", "login"]]
    )
    locale: Locale | None = None
    do_not_translate: bool = False

    def is_miswritten(self, words: str) -> bool:
        """True if a term with capital letters is written in another way; it may begin a sentence."""
        has_capitals = self.term != self.term.lower()
        return has_capitals and words not in (self.term, self.term[0].upper() + self.term[1:])

    def applies_to(self, locale: str) -> bool:
        return self.locale is None or f"{locale}-".startswith(f"{self.locale}-")


class Style(Body):
    """The style of a help center, or, as a request, the fields that change."""

    rules: list[StyleRule] = Field(default_factory=list, max_length=limits.MAX_STYLE_RULES)
    terms: list[GlossaryTerm] = Field(default_factory=list, max_length=limits.MAX_GLOSSARY_TERMS)
    avoid_words: list[TermText] = Field(
        default_factory=list, max_length=limits.MAX_AVOIDED_WORDS, examples=[["simply", "please"]]
    )
    heading_case: HeadingCase | None = None
    max_sentence_words: Annotated[
        Annotated[
            int,
            Field(ge=limits.MIN_SENTENCE_LIMIT_WORDS, le=limits.MAX_SENTENCE_LIMIT_WORDS),
            BeforeValidator(integral),
        ]
        | None,
        Field(examples=[30]),
    ] = None
    avoid_passive_should: Annotated[
        bool, Field(description="Report “should be done” in English texts: it does not say who acts.")
    ] = False

    @property
    def has_checks(self) -> bool:
        return bool(
            self.terms
            or self.avoid_words
            or self.heading_case
            or self.max_sentence_words
            or self.avoid_passive_should
        )


class HelpCenterStyleOut(Out):
    """The style of the help center."""

    # The name in the audit.
    id: ClassVar = "style"
    rules: list[StyleRule]
    terms: list[GlossaryTerm]
    avoid_words: list[str]
    heading_case: HeadingCase | None
    max_sentence_words: int | None
    avoid_passive_should: bool
