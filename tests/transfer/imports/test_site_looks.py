"""Appearance settings, which a reader of any format reports."""

import re

import pytest

from instep.transfer.imports.source.formats import READERS
from tests.support.import_sources import Files

PAGE = "---\ntitle: A\n---\nText.\n"
DOCUSAURUS = """
module.exports = {
  favicon: 'img/favicon.ico',
  presets: [['classic', {docs: {}, theme: {customCss: require.resolve('./src/css/custom.css')}}]],
  themeConfig: {
    announcementBar: {content: 'New'},
    navbar: {logo: {src: 'img/logo.png'}, items: []},
    footer: {links: [], copyright: `© ${new Date().getFullYear()}`},
    prism: {},
  },
};
"""
ZENSICAL = """
[project]
extra_css = ["extra.css"]
[project.theme]
logo = "logo.svg"
favicon = "favicon.png"
language = "en"
[[project.theme.palette]]
primary = "green"
[[project.extra.social]]
link = "https://example.com"
"""
VITEPRESS = """
export default {
  themeConfig: {logo: '/logo.svg', sidebar: [], socialLinks: [{icon: 'github', link: 'https://x.example'}]},
  locales: {root: {themeConfig: {nav: [{text: 'Guide', link: '/guide'}], footer: {message: 'MIT'}}}},
}
"""
STARLIGHT = """
import starlight from '@astrojs/starlight';
export default { integrations: [starlight({
  logo: {src: './logo.svg'}, social: [{icon: 'github', href: 'https://x.example'}], customCss: ['./a.css'],
})] };
"""
SITES = {
    "docusaurus": (
        {"docusaurus.config.js": DOCUSAURUS, "docs/a.md": PAGE},
        "favicon themeConfig.navbar themeConfig.footer themeConfig.announcementBar theme.customCss",
    ),
    "hugo": (
        {"hugo.toml": 'copyright = "MIT"\n[params]\nlogo = "l.svg"\n', "content/a.md": PAGE},
        "copyright params.logo",
    ),
    "jekyll": ({"_config.yml": "logo: /l.svg\naux_links:\n  Home: [/]\n", "a.md": PAGE}, "logo aux_links"),
    "mintlify": (
        {"docs.json": '{"navigation": ["a"], "colors": {"primary": "#fff"}, "footer": {}}', "a.mdx": PAGE},
        "colors",
    ),
    "mkdocs": (
        {"zensical.toml": ZENSICAL, "docs/a.md": PAGE},
        "theme.logo theme.favicon theme.palette extra.social extra_css",
    ),
    "nextra": (
        {
            "theme.config.jsx": "export default { logo: <Logo />, project: {link: 'https://x.example'} }",
            "content/_meta.js": "export default { a: 'A' }",
            "content/a.mdx": PAGE,
        },
        "logo project",
    ),
    "starlight": (
        {"astro.config.mjs": STARLIGHT, "src/content/docs/a.md": PAGE},
        "logo social customCss",
    ),
    "vitepress": (
        {".vitepress/config.mts": VITEPRESS, ".vitepress/theme/index.css": "a {}", "a.md": PAGE},
        "themeConfig.logo themeConfig.nav themeConfig.socialLinks themeConfig.footer theme",
    ),
}


@pytest.mark.parametrize("name", SITES)
def test_each_setting_of_the_look_is_reported_once(name: str) -> None:
    texts, settings = SITES[name]
    reader = next(reader for reader in READERS if reader.name == name)

    tree = reader.read(Files(texts))

    told = [match[1] for loss in tree.losses if (match := re.match("site setting (.*?):", loss.what))]
    assert told == settings.split()
