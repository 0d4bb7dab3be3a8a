"""Stems of words, from PostgreSQL's text search dictionary for each language."""

from collections.abc import Collection, Sequence

from instep.platform.core.database import Tx
from instep.search.query.tokenizer import UNSEGMENTED_RUN

# The text search configurations. Indexes store their order, so new ones are appended.
CONFIGS = (
    *("simple", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "estonian"),
    *(
        "finnish",
        "french",
        "german",
        "greek",
        "hindi",
        "hungarian",
        "indonesian",
        "irish",
        "italian",
        "lithuanian",
    ),
    *("nepali", "norwegian", "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil"),
    *("turkish", "yiddish", "esperanto", "polish"),
)
# The languages of the site, by the configuration of their articles; Japanese has none of its own.
SITE_LANGUAGES = {
    **{"english": "en", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt", "arabic": "ar"},
    "simple": "ja",
}
# The first letter of every index term of a language, so that no two languages share a term.
LANGUAGE_CODES = {config: chr(ord("A") + number) for number, config in enumerate(CONFIGS)}
# In one process, for all languages together; about 60 bytes each.
MAX_CACHED_STEMS = 300_000
# The number of words in one statement, few enough not to delay other requests noticeably.
LOOKUP_BATCH_WORDS = 5_000
# The stem of each word; `None` for a stop word of the language.
Stems = dict[str, str | None]
STEM_CACHE: dict[str, Stems] = {}


async def stems_of(tx: Tx, config: str, words: Collection[str]) -> Stems:
    """The stems of the words, and possibly of others."""
    stems = STEM_CACHE.setdefault(config, {})
    if unknown := [word for word in words if word not in stems]:
        if sum(map(len, STEM_CACHE.values())) > MAX_CACHED_STEMS:
            STEM_CACHE.clear()
            return await stems_of(tx, config, words)
        for start in range(0, len(unknown), LOOKUP_BATCH_WORDS):
            batch = list(dict.fromkeys(unknown[start : start + LOOKUP_BATCH_WORDS]))
            stems.update(await look_up_stems(tx, config, batch))
    return stems


async def look_up_stems(tx: Tx, config: str, words: Sequence[str]) -> Stems:
    inflected = [word for word in words if is_inflected(word)]
    stems = await tx.value(LOOK_UP, config=config, words=inflected) if inflected else []
    return {word: word for word in words} | dict(zip(inflected, stems, strict=True))


def is_inflected(word: str) -> bool:
    """True if the word may have endings; numbers and words of scripts without spaces have none."""
    if word.isascii() and word.isalpha():
        return True
    return not (UNSEGMENTED_RUN.match(word) or any(map(str.isdigit, word)))


# A configuration has a dictionary per token type: other scripts have another one for ASCII words.
LOOK_UP = """
    with dictionary as (
        select m.maptokentype = 1 as is_ascii, m.mapdict::regdictionary as name
        from pg_ts_config c join pg_ts_config_map m on m.mapcfg = c.oid
        where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = %(config)s
          and m.maptokentype in (1, 2) and m.mapseqno = 1
    )
    select array_agg(case when lexemes is null then word else lexemes[1] end order by place)
    from unnest(%(words)s::text[]) with ordinality as words (word, place)
        join dictionary d on d.is_ascii = (octet_length(word) = length(word)),
        ts_lexize(d.name, word) as lexemes
"""


def language_code(config: str) -> str:
    return LANGUAGE_CODES.get(config, LANGUAGE_CODES["simple"])


def index_term(config: str, stem: str) -> str:
    """An index term: its language code and the stem, or `=` and the word for a stop word of a title."""
    return language_code(config) + stem
