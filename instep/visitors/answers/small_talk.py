"""Recognizes texts without a question that articles could answer: greetings, thanks, insults, commands."""

import re
from typing import Literal

from instep.platform.text.terms import is_content_word

# `unclear`: only small words, such as "And then?", which may continue an earlier question.
TalkKind = Literal["greeting", "thanks", "insult", "command", "unclear"]

# Phrases that people write in a chat besides questions, in the languages of its texts.
PHRASES: dict[TalkKind, str] = {
    "thanks": """
        thanks a lot, thank you, thanks, thank, thx, cheers, great, cool, perfect, super, vielen dank,
        dankeschön, danke, merci beaucoup, merci, muchas gracias, gracias, muito obrigado, muito obrigada,
        obrigado, obrigada, grazie mille, grazie, dank je wel, dank u wel, bedankt, bye, goodbye, tschüss,
        au revoir, adiós, tchau, doei, ありがとうございます, ありがとう, 谢谢, 謝謝, 再见, شكرا
    """,
    "insult": """
        stupid, idiot, idiots, moron, dumb, useless, worthless, you suck, shit, shitty, fuck, fucking,
        asshole, bullshit, damn, hate you, blöd, blöder, blöde, dumm, dummer, idioten, scheiße, scheiss,
        arschloch, nutzlos, idiote, stupide, merde, connard, inutile, estúpido, estúpida, idiota, mierda,
        inútil, merda, cretino, stupido, waardeloos, 馬鹿, ばか, バカ, 役立たず, 白痴, 笨蛋, غبي, أحمق
    """,
    "greeting": """
        hello, hi, hey, good morning, good afternoon, good evening, good day, ok, okay, yes, yep, no, nope,
        sorry, hallo, moin, servus, guten morgen, guten tag, guten abend, bitte, ja, nein, bonjour, salut,
        bonsoir, oui, non, d'accord, hola, buenos días, buenas tardes, buenas noches, vale, sí, olá, oi,
        bom dia, boa tarde, boa noite, sim, não, ciao, salve, buongiorno, buonasera, prego, sì, hoi,
        goedemorgen, goedemiddag, goedenavond, nee, こんにちは, こんばんは, おはようございます, おはよう,
        はい, いいえ, 你好, 您好, 好的, مرحبا, أهلا, السلام عليكم, نعم, لا
    """,
}
# Names for the addressee of an insult.
ADDRESSEE = re.compile(r"\b(?:bots?|chatbots?|machines?|ai|ki|robot)\b")
# Texts that request something other than an answer, such as a poem or the assistant's rules.
COMMAND = re.compile(
    r"\A\W*(?:please |can you |could you |bitte )*(?:"
    r"(?:write|compose|sing|tell|invent|schreib|erzähl|écris|raconte|escrib|cuenta|escrev|conte|scriv|raccont)\w*"
    r"(?:[- ](?:me|us|mir|uns|moi|nous))? (?:\w+ ){0,2}"
    r"(?:poems?|story|jokes?|song|essay|limerick|haiku|gedicht|geschichte|witz|lied|poème|histoire|blague|chanson"
    r"|poema|cuento|chiste|canción|história|piada|poesia|storia|barzelletta)"
    r"(?: (?:about|for|on|über|sur|sobre|su|di)\b.*)?\W*\Z"
    r"|(?:pretend|act|role-?play) (?:to be|as|that you)\b|you are now\b)"
    r"|\b(?:ignore|disregard|forget|override|bypass|vergiss|ignoriere|oublie|ignora|olvida|esqueça|negeer)"
    r" (?:\w+ ){0,3}(?:your|previous|prior|above|earlier|deine|bisherigen|vorherigen|tes|vos|précédentes|tus"
    r"|anteriores|suas|tue|precedenti|je|vorige)\b.{0,40}"
    r"\b(?:instruc|instruk|istruz|prompt|rule|guideline|anweisung|regel|règle|regla|regra)"
    r"|\b(?:repeat|print|show|reveal|output|display|tell)\b.{0,40}"
    r"\b(?:system prompt|your (?:\w+ ){0,2}(?:instructions|prompt))",
    re.IGNORECASE,
)
WORD = re.compile(r"\w+")


def _phrases(texts: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in texts.split(",")]


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


PATTERNS = {kind: _any_of(_phrases(texts)) for kind, texts in PHRASES.items()}
PHRASE = _any_of([phrase for texts in PHRASES.values() for phrase in _phrases(texts)])


def kind_of_talk(text: str) -> TalkKind | None:
    """The kind of a text that asks nothing, such as a command; None for a question."""
    if COMMAND.search(text):
        return "command"
    words = " ".join(text.casefold().split())
    if PATTERNS["insult"].search(words):
        words = ADDRESSEE.sub("", words)
    if any(map(is_content_word, WORD.findall(PHRASE.sub(" ", words)))):
        return None
    kinds: tuple[TalkKind, ...] = ("insult", "thanks", "greeting")
    return next((kind for kind in kinds if PATTERNS[kind].search(words)), "unclear")
