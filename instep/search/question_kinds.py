"""Recognizes the kind of a question by its first words: how to do something, what something is, and so on.

The patterns are in the seven languages of the site. A question in other words has no kind.
"""

import re
from typing import Literal

QuestionKind = Literal["how_to", "what_is", "why", "may_i", "where", "error"]

# For each kind, one line per language: en, de, fr, es, pt, ja, ar. The first matching kind counts.
_PATTERNS: dict[QuestionKind, str] = {
    "error": r"""
        \b(?:errors?|exception|fails|failed|failing|not working|doesn[\u2019']?t work|does not work|broken)\b
        \b(?:fehler|fehlermeldung|funktioniert nicht|geht nicht|fehlgeschlagen|kaputt)\b
        \b(?:erreur|échoue|échec|ne (?:fonctionne|marche) p(?:as|lus))\b
        \b(?:error|falla|fallo|no funciona)\b
        \b(?:erro|falha|falhou|não funciona)\b
        エラー|失敗|動かない|動作しない|できません$|できない$
        خطأ|فشل|لا يعمل|لا تعمل
    """,
    "why": r"""
        ^(?:and )?(?:why|how come|what (?:causes|is the reason))\b
        ^(?:warum|wieso|weshalb|weswegen)\b
        ^pourquoi\b
        ^¿?por qué\b
        ^por ?qu[eê]\b
        なぜ|どうして
        ^لماذا
    """,
    "what_is": r"""
        ^what(?:[\u2019']s| is| are| does .{1,60}\bmean\b)|\bwhat .{1,60} means?\b|^(?:define|explain)\b
        ^was (?:ist|sind|bedeutet|heißt)\b
        ^qu[\u2019']est[- ]ce qu|^c[\u2019']est quoi|^que signifie
        ^¿?qué (?:es|son|significa)\b
        ^o que (?:é|são|significa)\b
        とは|って何|何ですか
        ^ما (?:هو|هي|معنى|المقصود)
    """,
    "where": r"""
        ^where\b
        ^(?:wo|wohin)\b
        ^où\b
        ^¿?(?:a)?dónde\b
        ^(?:aonde|onde)\b
        どこ
        ^أين
    """,
    "how_to": r"""
        ^(?:so )?how (?:do|does|can|could|should|would|to|i)\b|^steps (?:to|for)\b|\bhow to\b
        ^wie (?:kann|können|mache|macht|geht|muss|soll|\w+e (?:ich|wir)|\w+t man|lege|lösche|füge|ändere)\b
        ^comment\b
        ^¿?(?:cómo|como)\b
        ^como\b
        方法|どうやって|どうすれば|どのように|手順|やり方|したいです?$
        ^كيف
    """,
    "may_i": r"""
        ^(?:can|could|may|is it possible|am i able|are we able|is there|are there|do you|will|do i|does)\b
        ^(?:kann|können|darf|dürfen|gibt es|ist es möglich|muss|brauche)\b
        ^(?:puis-je|peut-on|est-ce (?:que|qu)|y a-t-il|est-il possible|dois-je)
        ^¿?(?:puedo|se puede|podemos|puede|hay|es posible|tengo que|necesito)\b
        ^(?:posso|podemos|pode|é possível|há|existe|preciso)\b
        できますか|ありますか|可能ですか
        ^(?:هل|أيمكن)
    """,
}
PATTERNS: dict[QuestionKind, re.Pattern[str]] = {
    kind: re.compile("|".join(f"(?:{line.strip()})" for line in lines.strip().splitlines()), re.IGNORECASE)
    for kind, lines in _PATTERNS.items()
}


def kind_of_question(question: str) -> QuestionKind | None:
    text = " ".join(question.split())
    return next((kind for kind, pattern in PATTERNS.items() if pattern.search(text)), None)
