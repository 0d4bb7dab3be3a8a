"""How a site looks, which an import of its pages leaves to the help center."""

from collections.abc import Iterable

from instep.imports.tree import Losses


def tell_looks(losses: Losses, path: str, settings: Iterable[str]) -> None:
    """Report the settings of the look that have to be made again."""
    for name in settings:
        losses.add(path, f"{name} of the site: set it in the dashboard, in Settings, Help center")
