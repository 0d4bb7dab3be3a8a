"""Texts that ask nothing which an article could answer: greetings, thanks, and small words alone."""

import re

from instep.text.terms import is_content_word

# What people write to a chat beside their questions, in the languages of its texts.
PHRASES = """
    hello, hi, hey, good morning, good afternoon, good evening, good day, bye, goodbye, ok, okay, yes,
    yep, no, nope, thanks a lot, thank you, thanks, thank, thx, sorry, cheers, great, cool, perfect,
    super, hallo, moin, servus, guten morgen, guten tag, guten abend, tschüss, vielen dank, dankeschön,
    danke, bitte, ja, nein, bonjour, salut, bonsoir, merci beaucoup, merci, oui, non, d'accord, au revoir,
    hola, buenos días, buenas tardes, buenas noches, muchas gracias, gracias, vale, sí, adiós, olá, oi,
    bom dia, boa tarde, boa noite, muito obrigado, muito obrigada, obrigado, obrigada, sim, não, tchau,
    ciao, salve, buongiorno, buonasera, grazie mille, grazie, prego, sì, hoi, goedemorgen, goedemiddag,
    goedenavond, dank je wel, dank u wel, bedankt, nee, doei, こんにちは, こんばんは, おはようございます,
    おはよう, ありがとうございます, ありがとう, はい, いいえ,
    你好, 您好, 谢谢, 謝謝, 再见, 好的, مرحبا, أهلا, السلام عليكم, شكرا, نعم, لا
"""
LONGEST_FIRST = sorted((" ".join(phrase.split()) for phrase in PHRASES.split(",")), key=len, reverse=True)
PHRASE = re.compile(rf"\b(?:{'|'.join(map(re.escape, LONGEST_FIRST))})\b")
WORD = re.compile(r"\w+")


def is_small_talk(text: str) -> bool:
    """Whether no word of a text has content; signs alone have none either."""
    return not any(map(is_content_word, WORD.findall(PHRASE.sub(" ", text.casefold()))))
