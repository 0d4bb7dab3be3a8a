"""Reports settings of a site's look, which are not imported."""

from functools import reduce

from instep.transfer.imports.tree.schemas import Losses

# The settings of the look by format; a dot separates nested names.
_LOOKS = {
    "docusaurus": "favicon themeConfig.navbar themeConfig.footer themeConfig.announcementBar theme.customCss"
    " stylesheets scripts headTags",
    "hugo": "copyright menu menus params.logo params.favicon params.copyright",
    "jekyll": "logo favicon_ico color_scheme aux_links footer_content",
    # `docs.json`, and `mint.json` in older projects.
    "mintlify": "logo favicon colors navbar footer banner background fonts"
    " topbarLinks topbarCtaButton footerSocials backgroundImage font",
    "mkdocs": "theme.logo theme.icon theme.favicon theme.palette theme.font theme.custom_dir extra.social"
    " copyright extra_css extra_javascript",
    "nextra": "logo project chat navbar footer banner head",
    "starlight": "logo favicon social customCss head components",
    "vitepress": "themeConfig.logo themeConfig.nav themeConfig.socialLinks themeConfig.footer head theme",
}


def tell_looks(form: str, losses: Losses, path: str, settings: object) -> None:
    """Report the settings of the look, which people must set again."""
    for name in _LOOKS[form].split():
        if reduce(_inner, name.split("."), settings) not in (None, False, {}, []):
            what = f"site setting {name}: set the look in the dashboard, under Settings, Help center"
            losses.add(path, what)


def _inner(settings: object, name: str) -> object:
    return settings.get(name) if isinstance(settings, dict) else None
