"""Word frequencies of a language, which supplement a help center's own."""

from instep.search.query.frequencies import LANGUAGES, frequencies, share_of_articles


def test_common_words_are_in_many_articles_and_rare_ones_in_none() -> None:
    shares = [share_of_articles(word, ["english"]) for word in ("how", "days", "refund", "pantheon")]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.2 > 0.05 > shares[2]
    assert shares[3] == 0


def test_each_language_of_the_site_has_its_words() -> None:
    assert all(len(frequencies(language)) > 2_000 for language in LANGUAGES)
    assert share_of_articles("tage", ["german"]) > 0.01 > share_of_articles("tage", ["english"])
    # Japanese words are pairs of characters in any text search configuration.
    assert share_of_articles("日本", ["simple"]) > 0.01
