"""Words for texts of benchmarks, as frequent as in English texts."""

import random
from itertools import accumulate

from instep.search.query.frequencies import frequencies

VOCABULARY_SIZE = 40_000
COMMON_WORDS = frequencies("en")


def made_up_word(number: int) -> str:
    """A distinct word for each number, with beginnings and endings that vary as in names of products."""
    letters = "etaoinsrhldcumfpgwybvk"
    spelled = ""
    number = number * 7_919 % 1_000_003
    while number:
        number, place = divmod(number, len(letters))
        spelled += letters[place]
    return spelled + "en"


# The most frequent words come first. The table of common words lacks names, which are made up here;
# together they are as frequent as all words of a text that the table lacks, by Zipf's law.
RARE_WORDS = [made_up_word(number) for number in range(len(COMMON_WORDS), VOCABULARY_SIZE)]
VOCABULARY = [*COMMON_WORDS, *RARE_WORDS]
SHARES = [1 / number for number in range(len(COMMON_WORDS), VOCABULARY_SIZE)]
RARE_WEIGHT = (1 - sum(COMMON_WORDS.values())) / sum(SHARES)
CUMULATIVE_WEIGHTS = list(accumulate([*COMMON_WORDS.values(), *(RARE_WEIGHT * share for share in SHARES)]))


def random_words(count: int, generator: random.Random) -> str:
    """So many words, of which few are frequent and most are rare."""
    return " ".join(generator.choices(VOCABULARY, cum_weights=CUMULATIVE_WEIGHTS, k=count))
