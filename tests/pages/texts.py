"""Texts for the stage's help centers that the documentation lacks: everything Markdown can do."""

EVERYTHING = """\
Nordwind runs **wherever** PostgreSQL runs. This article holds *everything* that one may hold: [a
link](install), `code`, ~~what no longer holds~~, a key <kbd>Ctrl</kbd>, and a note[^1].

## Before you begin

- [x] Download Nordwind
- [ ] Choose a folder for its data
  - not one that is synchronized
  - not one on a network share
    1. ask who makes the backups
    2. ask who reads them

> [!NOTE]
> A server starts within two seconds.

> [!TIP]
> Press <kbd>/</kbd> to search.

> [!IMPORTANT]
> Keep the secret key apart from the backups.

> [!WARNING]
> Do not run two servers on one data folder.

> [!CAUTION]
> Deleting the folder deletes every article.

## Settings

| Variable | Default | Unit | What it does when it is set |
|---|--:|:-:|---|
| `NORDWIND_TIMEOUT` | 30 | seconds | ends a request that takes longer |
| `NORDWIND_MAX_UPLOAD_BYTES` | 20,971,520 | bytes | refuses files that are larger, before they are read |
| `NORDWIND_PUBLIC_ADDRESS` | | | the address that browsers use, with `https://` |

```bash
nordwind serve --host 127.0.0.1 --port 8000 --workers 4 --data-dir /var/lib/nordwind --log-level debug
```

```python
def confidence(scores: list[float]) -> float:
    \"\"\"How sure the search is, from 0 to 1.\"\"\"
    return max(scores, default=0.0)
```

### What it looks like

<img src="/static/icon.svg" alt="The sign of Nordwind" width="32" height="32">

<img src="/static/icon.svg" alt="The sign of Nordwind, large" width="640" height="360">

#### Smaller still

> A quotation of somebody who has read all of it,
>
> > and of somebody who has answered.

<details><summary>More for those who want to know</summary>

The order of the settings does not matter.

</details>

---

## Install it

::::tabs
:::tab[Linux]
Unpack the archive, and read the [settings](#settings).

:::code-group
```bash [apt]
apt install nordwind
```

```bash [dnf]
dnf install nordwind
```
:::
:::
:::tab[Windows]
Run the installer.
:::
::::

:::steps
1. **Begin**

   Open the address in a browser.

2. **Invite others**

   :::details[How many?]
   As many as you like.
   :::

3. Publish.
:::

::::cards
:::card
[Settings](#settings)

Each variable with its default.
:::
:::card
[A link](install)
:::
:::card[No link]
A card may have only words.
:::
::::

:::video
[Nordwind in two minutes](https://www.youtube.com/watch?v=aaaaaaaaaaa)
:::

![The sign of Nordwind](/static/icon.svg "The sign, as the window shows it")

![For light pages](/static/icon.svg#gh-light-mode-only)
![For dark pages](/static/icon.svg#gh-dark-mode-only)

```mermaid
flowchart LR
  A[Write] --> B{Reviewed?}
  B -- yes --> C[Publish]
  B -- no --> A
```

The time is $`t = \\frac{n}{2}`$, and for many:

```math
\\sum_{i=1}^{n} t_i^2
```

---

## When it goes wrong

1. Read the log.
2. Read it again.

[^1]: Notes stand at the end.
"""

GERMAN = """\
Die Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft nutzt Nordwind für ihre
Rindfleischetikettierungsüberwachungsaufgabenübertragungsverordnung.

## Datenschutz-Grundverordnungskonformitätserklärung

| Einstellung | Bedeutung |
|---|---|
| `NORDWIND_VERBINDUNGSZEITUEBERSCHREITUNG` | Verbindungszeitüberschreitungseinstellung in Sekunden |

```
nordwind --kraftfahrzeughaftpflichtversicherungsbescheinigungsdatei=/var/lib/nordwind/bescheinigung.pdf
```
"""

ARABIC = """\
يعمل **نور** أينما تعمل PostgreSQL. هذه المقالة تحتوي على [رابط](article-0) و `code` وملاحظة[^1].

## قبل أن تبدأ

- [x] نزّل نور
- [ ] اختر مجلدًا للبيانات

> [!WARNING]
> لا تشغّل خادمين على مجلد واحد.

| الإعداد | القيمة | المعنى |
|---|--:|---|
| `NOOR_TIMEOUT` | 30 | ينهي الطلب بعد هذه الثواني |

```bash
noor serve --host 127.0.0.1 --port 8000 --workers 4 --data-dir /var/lib/noor --log-level debug --verbose
```

1. اقرأ السجل.
2. اقرأه مرة أخرى.

[^1]: الملاحظات في النهاية.
"""

NEWS = {
    "Version 1.9 repairs the search": "A search for `timeout` no longer finds *time*.\n\n- Quicker\n",
    "Version 2.0": EVERYTHING,
    "Version 2.1 runs on Windows too, and on every other system that somebody still has": "Try it.\n",
}
