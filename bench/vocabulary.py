"""Words for texts of benchmarks, drawn by Zipf's law, as in texts that people write."""

import random

VOCABULARY_SIZE = 40_000


def word(number: int) -> str:
    """A distinct word for each number, with beginnings and endings that vary as in real words."""
    letters = "etaoinsrhldcumfpgwybvk"
    spelled = ""
    number = number * 7_919 % 1_000_003
    while number:
        number, place = divmod(number, len(letters))
        spelled += letters[place]
    return spelled + "en"


VOCABULARY = [word(number) for number in range(VOCABULARY_SIZE)]


def random_words(count: int, generator: random.Random) -> str:
    """So many words, of which few are frequent and most are rare."""
    return " ".join([VOCABULARY[int(VOCABULARY_SIZE ** generator.random())] for _ in range(count)])
