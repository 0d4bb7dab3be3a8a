"""Words without their endings, as PostgreSQL's dictionaries of each language read them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from instep.core.database import Tx
from instep.search.words import SPACELESS_RUN

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
LETTERS = {config: chr(ord("A") + place) for place, config in enumerate(CONFIGS)}
# Of a process, for all languages together; about 60 bytes each.
MOST_REMEMBERED = 300_000


@dataclass(slots=True)
class Read:
    word: str
    # None where the language leaves the word out.
    stem: str | None


Stems = dict[str, str | None]
KNOWN: dict[str, Stems] = {}


async def stems_of(tx: Tx, config: str, words: Collection[str]) -> Stems:
    """What the words of a text are to a language; it holds at least those asked for."""
    known = KNOWN.setdefault(config, {})
    if strange := [word for word in set(words) if word not in known]:
        if sum(map(len, KNOWN.values())) > MOST_REMEMBERED:
            KNOWN.clear()
            return await stems_of(tx, config, words)
        known.update(await look_up(tx, config, strange))
    return known


async def look_up(tx: Tx, config: str, words: Iterable[str]) -> Stems:
    found: Stems = {}
    asked = []
    for word in words:
        # Numbers and scripts without blanks are what they are.
        if any(letter.isdigit() for letter in word) or SPACELESS_RUN.match(word):
            found[word] = word
        else:
            asked.append(word)
    if asked:
        found.update(
            (read.word, read.stem) for read in await tx.all(Read, LOOK_UP, config=config, words=asked)
        )
    return found


# The dictionary of a token type: a language of another script than ours has one more for ASCII words.
LOOK_UP = """
    with dictionary as (
        select m.maptokentype = 1 as is_ascii, m.mapdict::regdictionary as name
        from pg_ts_config c join pg_ts_config_map m on m.mapcfg = c.oid
        where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = %(config)s
          and m.maptokentype in (1, 2) and m.mapseqno = 1
    )
    select word, case when read is null then word else read[1] end as stem
    from unnest(%(words)s::text[]) as word
        join dictionary d on d.is_ascii = (octet_length(word) = length(word)),
        ts_lexize(d.name, word) as read
"""


def key_of(config: str, stem: str) -> str:
    return LETTERS.get(config, "A") + stem
