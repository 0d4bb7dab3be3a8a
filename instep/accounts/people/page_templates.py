"""The templates of the pages on which people sign in."""

from pathlib import Path

from instep.platform.web.signed_in import POLICY, PrivatePages

pages = PrivatePages.below(Path(__file__).parent / "templates")
# The page that asks for a passkey needs a script, which writes no HTML.
scripted_pages = PrivatePages(
    pages.pages,
    f"{POLICY}; script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
)
pages.pages.environment.filters.update(day=lambda moment: f"{moment:%Y-%m-%d}")
