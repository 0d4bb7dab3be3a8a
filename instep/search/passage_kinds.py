"""Determines a passage's kind from its form and its heading: steps, a definition, a table, a list of links.

The heading words are in the seven languages of the site. For other languages only the form
counts.
"""

import re
from collections.abc import Sequence
from typing import Literal

from instep.search.index.passages import MarkdownPassage
from instep.search.query.tokenizer import normalize_title

# `links`: links to other pages; `history`: changes by version; `summary`: the topic of the article.
# None of them answers a question.
PassageKind = Literal[
    "steps", "definition", "reference", "troubleshooting", "links", "history", "summary", "text"
]

_LINK_HEADINGS = """
    additional resources|also see|contents|continue reading|further information|further reading
    in this article|in this guide|in this section|learn more|more information|more resources|next|next step
    next steps|next up|on this page|other resources|read more|related|related articles|related content
    related docs|related links|related pages|related topics|resources|see also|table of contents|what is next
    what s next|where next|where to go on|where to go next
    als nächstes|auf dieser seite|in diesem artikel|inhalt|inhaltsverzeichnis|mehr dazu|mehr erfahren
    nächste schritte|siehe auch|verwandte artikel|verwandte themen|weiter|weiterführende links|weitere artikel
    weitere informationen|wie es weitergeht
    articles associés|articles connexes|articles similaires|dans cet article|en savoir plus|et ensuite
    étapes suivantes|liens utiles|pour aller plus loin|prochaines étapes|sommaire|sur cette page
    table des matières|voir aussi|à lire aussi
    artículos relacionados|contenido|en este artículo|en esta página|enlaces relacionados|más información
    próximos pasos|siguientes pasos|temas relacionados|tabla de contenidos|ver también|véase también
    artigos relacionados|conteúdo|leia também|links relacionados|mais informações|nesta página|neste artigo
    próximas etapas|próximos passos|saiba mais|sumário|tópicos relacionados|veja também|ver também
    次に|次のステップ|次へ|関連|関連リンク|関連トピック|関連ページ|関連記事|関連項目|こちらもご覧ください|この記事の内容|目次|詳細情報
    اقرأ أيضا|اقرأ أيضًا|الخطوات التالية|الخطوة التالية|المحتويات|انظر أيضا|انظر أيضًا|روابط ذات صلة
    في هذه الصفحة|في هذه المقالة|مزيد من المعلومات|مقالات ذات صلة|مواضيع ذات صلة
"""
_HISTORY_HEADINGS = """
    change log|changelog|changes|history|release history|release notes|releases|version history|what is new
    what s new|änderungen|änderungsprotokoll|neuerungen|versionshinweise|versionsverlauf
    historique|historique des versions|journal des modifications|notes de version|nouveautés
    historial de cambios|historial de versiones|notas de la versión|novedades|registro de cambios
    histórico de versões|notas da versão|notas de versão|novidades|registro de alterações
    リリースノート|変更履歴|更新履歴|バージョン履歴|سجل الإصدارات|سجل التغييرات|ملاحظات الإصدار|ما الجديد
"""
_TROUBLE_WORDS = """
    error|errors|fail|failed|fails|failure|problem|problems|issue|issues|troubleshoot|troubleshooting|wrong
    fehler|fehlerbehebung|fehlermeldung|fehlermeldungen|fehlersuche|problem|probleme|störung|störungen
    dépannage|échec|échecs|erreur|erreurs|problème|problèmes
    error|errores|fallo|fallos|problema|problemas|avería|averías
    erro|erros|falha|falhas|problema|problemas
    エラー|トラブル|不具合|問題|失敗
    أخطاء|خطأ|فشل|مشاكل|مشكلة|مشكلات
"""


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.replace("\n", "|").split("|") if phrase.strip())


LINK_HEADINGS, HISTORY_HEADINGS = _phrases(_LINK_HEADINGS), _phrases(_HISTORY_HEADINGS)
TROUBLE_WORDS = _phrases(_TROUBLE_WORDS)
UNSEGMENTED_TROUBLE = tuple(word for word in TROUBLE_WORDS if not re.match(r"[a-zà-ÿ\u0600-\u06ff]", word))

FENCE = re.compile(r"^ {0,12}(```|~~~).*?(?:^ {0,12}\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\s]*\)")
STEP = re.compile(r"^ {0,3}\d{1,3}[.)][ \t]+\S", re.MULTILINE)
ROW = re.compile(r"^[ \t]{0,3}\|", re.MULTILINE)
ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
# A version, or a date with its year: the first words of lines and headings in a changelog.
DATED = re.compile(r"^[-*+#|\[ \t]*+(?:v?\d+\.\d+[\w.]*+|\d{4}-\d\d-\d\d)", re.MULTILINE | re.IGNORECASE)
LETTERS = re.compile(r"\w")
# Shares, from 0 to 1: of a passage's letters that are in link labels, above which it is a list of links;
# and of its lines that begin with a version or a date.
MIN_LINKED, MIN_DATED = 0.6, 0.3
MIN_LINKS, MIN_STEPS, MIN_ROWS = 2, 2, 3


def kind_of_passage(markdown: str, headings: Sequence[str]) -> PassageKind:
    """The kind of a passage; `headings`: those above it, the innermost last, without the article's title."""
    prose = FENCE.sub("", markdown)
    heading = normalize_title(headings[-1]) if headings else ""
    if is_link_list(prose, heading):
        return "links"
    if is_history(prose, [normalize_title(title) for title in headings]):
        return "history"
    if is_about_trouble(heading):
        return "troubleshooting"
    if len(STEP.findall(prose)) >= MIN_STEPS:
        return "steps"
    if len(ROW.findall(prose)) >= MIN_ROWS:
        return "reference"
    return "text" if headings else "definition"


def is_link_list(prose: str, heading: str) -> bool:
    """True if a text only refers to other pages: it has a typical heading and a link, or is mostly links."""
    labels = [label for label in LINK.findall(prose) if label]
    if labels and heading in LINK_HEADINGS:
        return True
    if len(labels) < MIN_LINKS:
        return False
    linked = sum(len(LETTERS.findall(label)) for label in labels)
    return linked >= MIN_LINKED * len(LETTERS.findall(LINK.sub(lambda match: match[1], prose)))


def is_history(prose: str, headings: Sequence[str]) -> bool:
    """True if a text lists changes by version: below a typical heading, in the form of a list."""
    if not any(heading in HISTORY_HEADINGS for heading in headings):
        return False
    lines = [line for line in prose.splitlines() if line.strip()]
    dated = len(DATED.findall(prose)) + sum(DATED.match(heading) is not None for heading in headings)
    return dated >= MIN_DATED * max(1, len(lines)) or len(ITEM.findall(prose)) == len(lines) > 1


def is_about_trouble(heading: str) -> bool:
    words = heading.split()
    return any(word in TROUBLE_WORDS for word in words) or any(
        word in heading for word in UNSEGMENTED_TROUBLE
    )


def answers_questions(kind: PassageKind) -> bool:
    """True if an answer may quote a passage of this kind."""
    return kind not in ("links", "history", "summary")


# A step of the outermost list.
NUMBERED_STEP = re.compile(r"^(\d{1,3})[.)][ \t]+\S", re.MULTILINE)
# The number of steps before the passage's own, and in the whole section; 0 of 0 if the section is not a
# single list of steps.
StepPlace = tuple[int, int]
NO_STEPS: StepPlace = (0, 0)


def place_of_steps(passages: Sequence[MarkdownPassage], index: int) -> StepPlace:
    """The position of a passage's steps within its section; `passages`: all passages of the article."""
    passage = passages[index]
    if not NUMBERED_STEP.search(passage.markdown):
        return NO_STEPS
    same_section = section_range(passages, index)
    numbers = [step_numbers(passages[at].markdown) for at in same_section]
    every = [number for some in numbers for number in some]
    if every not in (list(range(1, len(every) + 1)), [1] * len(every)):
        return NO_STEPS
    before = sum(len(some) for at, some in zip(same_section, numbers, strict=True) if at < index)
    return before, len(every)


def section_range(passages: Sequence[MarkdownPassage], index: int) -> range:
    first = last = index
    while first > 0 and passages[first - 1].number == passages[index].number:
        first -= 1
    while last + 1 < len(passages) and passages[last + 1].number == passages[index].number:
        last += 1
    return range(first, last + 1)


def step_numbers(markdown: str) -> list[int]:
    return [int(number) for number in NUMBERED_STEP.findall(FENCE.sub("", markdown))]
