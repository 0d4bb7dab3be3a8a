"""The texts of the widget, and of replies without an article, in the languages of most help centers."""

from dataclasses import astuple, dataclass

from instep.platform.web.catalogues import message, reply_translations


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of an answer without an article, and the texts of the widget, in one language."""

    no_answer: str = message("I found no answer to this in the help articles.")
    nearest: str = message("These are the closest.")
    only_a_part: str = message("The articles answer only a part of this.")
    person: str = message("If you like, ask to talk to a person.")
    greeting: str = message("What would you like to know?")
    placeholder: str = message("Your question")
    send: str = message("Send")
    ask_person: str = message("Ask for a person")
    sources: str = message("Sources")
    welcome: str = message("You are welcome.")
    purpose: str = message("I only answer questions from the help articles.")


def texts_for(locale: str) -> Texts:
    """The texts in the language of a locale, or in English if there is no catalog of that language."""
    translated = reply_translations(locale).gettext
    return Texts(*map(translated, astuple(Texts())))


def place_of_steps_in(locale: str, last: int, count: int) -> str:
    """The line above the first steps of a section that has more."""
    text = reply_translations(locale).gettext(message("Steps 1 to %(last)s of %(count)s:"))
    return text % {"last": last, "count": count}
