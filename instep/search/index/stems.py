"""Words without their endings, as PostgreSQL's dictionaries of each language read them."""

from collections.abc import Collection, Sequence

from instep.core.database import Tx
from instep.search.query.tokens import UNSEGMENTED_RUN

# A letter of its own for each configuration, so that words of two languages are never taken for the same.
CONFIGS = (
    *(
        "simple",
        "arabic",
        "armenian",
        "basque",
        "catalan",
        "danish",
        "dutch",
        "english",
        "estonian",
        "finnish",
    ),
    *("french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian"),
    *("nepali", "norwegian", "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil"),
    *("turkish", "yiddish", "esperanto", "polish"),
)
LANGUAGE_CODES = {config: chr(ord("A") + place) for place, config in enumerate(CONFIGS)}
# Of a process, for all languages together; about 60 bytes each.
MAX_CACHED_STEMS = 300_000
# Looked up without holding up other requests noticeably.
LOOKUP_WORDS = 5_000


# None where the language leaves the word out.
Stems = dict[str, str | None]
STEM_CACHE: dict[str, Stems] = {}


async def stems_of(tx: Tx, config: str, words: Collection[str]) -> Stems:
    """What the words of a text are to a language; it holds at least those asked for."""
    known = STEM_CACHE.setdefault(config, {})
    if strange := [word for word in words if word not in known]:
        if sum(map(len, STEM_CACHE.values())) > MAX_CACHED_STEMS:
            STEM_CACHE.clear()
            return await stems_of(tx, config, words)
        for start in range(0, len(strange), LOOKUP_WORDS):
            known.update(
                await look_up(tx, config, list(dict.fromkeys(strange[start : start + LOOKUP_WORDS])))
            )
    return known


async def look_up(tx: Tx, config: str, words: Sequence[str]) -> Stems:
    asked = [word for word in words if has_forms(word)]
    stems = await tx.value(LOOK_UP, config=config, words=asked) if asked else []
    return {word: word for word in words} | dict(zip(asked, stems, strict=True))


def has_forms(word: str) -> bool:
    """Numbers and scripts without blanks are what they are."""
    if word.isascii() and word.isalpha():
        return True
    return not (any(letter.isdigit() for letter in word) or UNSEGMENTED_RUN.match(word))


# The dictionary of a token type: a language of another script than ours has one more for ASCII words.
LOOK_UP = """
    with dictionary as (
        select m.maptokentype = 1 as is_ascii, m.mapdict::regdictionary as name
        from pg_ts_config c join pg_ts_config_map m on m.mapcfg = c.oid
        where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = %(config)s
          and m.maptokentype in (1, 2) and m.mapseqno = 1
    )
    select array_agg(case when read is null then word else read[1] end order by place)
    from unnest(%(words)s::text[]) with ordinality as asked (word, place)
        join dictionary d on d.is_ascii = (octet_length(word) = length(word)),
        ts_lexize(d.name, word) as read
"""


def index_term(config: str, stem: str) -> str:
    return LANGUAGE_CODES.get(config, "A") + stem
