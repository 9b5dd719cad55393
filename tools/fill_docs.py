"""Fills what the documentation takes from the code: settings, example clients, patterns. `--check` only compares.

Run by hand after a change of either; a test runs the check.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "docs/settings.md", ROOT / "docs/events.md", ROOT / "docs/offline-language.md")
sys.path.insert(0, str(ROOT))

# The repository is not an installed package here, so its path comes first.
from agents.offline.commands.analyses.analysis import COMMANDS as ANALYSES  # noqa: E402
from agents.offline.commands.analyses.rules import PART_TEXTS  # noqa: E402
from agents.offline.coverage import MODULES  # noqa: E402
from server.gis.operations import OPERATIONS  # noqa: E402
from server.settings import Settings  # noqa: E402

OUTSIDE = (
    ("ANTHROPIC_API_KEY, GROQ_API_KEY, ...", "", "Keys of the other providers; see docs/models.md."),
    ("GEOAGENT_PROVIDERS", "", "A file of your own that adds to or overrides providers.json."),
    ("GEOAGENT_CASSETTE", "", "Record all model exchanges to this file, without secrets."),
)


def settings_table() -> str:
    rows = []
    for name, field in Settings.model_fields.items():
        variable = field.validation_alias.choices[0]  # type: ignore[union-attr]
        default = field.get_default()
        shown = (
            ""
            if default in (None, ())
            else f"`{str(default).lower() if isinstance(default, bool) else default}`"
        )
        rows.append((variable, shown, described(name)))
    lines = ["| variable | default | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{variable}` | {default} | {meaning} |" for variable, default, meaning in (*rows, *OUTSIDE)]
    return "\n".join(lines)


def described(name: str) -> str:
    """The docstring below the field in server/settings.py."""
    source = (ROOT / "server/settings.py").read_text()
    found = re.search(rf"^    {name}: .*?(?=^    \w+: |^    @)", source, re.MULTILINE | re.DOTALL)
    text = re.search(r'"""(.*?)"""', found[0], re.DOTALL) if found else None
    return " ".join(text[1].split()) if text else ""


def example(name: str) -> str:
    language = {"py": "python", "mjs": "js"}[name.rsplit(".", 1)[1]]
    return f"```{language}\n{(ROOT / 'docs/examples' / name).read_text().strip()}\n```"


def patterns() -> str:
    """The templates of the offline language by subject, as their authors wrote them."""
    subjects = [(each.__doc__, [one.template.text for one in each.COMMANDS]) for each in MODULES]
    subjects += [(each.__doc__, [one.template.text for one in each.RULES]) for each in ANALYSES]
    blocks = [_block((doc or "").splitlines()[0], texts) for doc, texts in subjects]
    operations = [phrase for operation in OPERATIONS.values() for phrase in operation.phrases]
    parts = [f"<{name}> = {text}" for name, text in PART_TEXTS.items()]
    return "\n\n".join(
        [
            *blocks,
            _block("Operations of the analysis.", operations),
            _block("Parts that templates share.", parts),
        ]
    )


def _block(title: str, templates: list[str]) -> str:
    shown = dict.fromkeys(re.split(r" (?:->|::) ", text)[0].strip() for text in templates)
    return "\n".join([title, "", "```text", *shown, "```"])


def filled(text: str) -> str:
    """The page with what stands between its marks made again."""
    if "<!-- settings -->" in text:
        text = _between(text, "<!-- settings -->", "<!-- /settings -->", settings_table())
    if "<!-- patterns -->" in text:
        text = _between(text, "<!-- patterns -->", "<!-- /patterns -->", patterns())
    for name in re.findall(r"<!-- example (\S+) -->", text):
        text = _between(text, f"<!-- example {name} -->", "<!-- /example -->", example(name))
    return text


def _between(text: str, first: str, last: str, inside: str) -> str:
    start = text.index(first) + len(first)
    end = text.index(last, start)
    return f"{text[:start]}\n{inside}\n{text[end:]}"


def main() -> int:
    stale = 0
    for page in PAGES:
        before = page.read_text()
        after = filled(before)
        if before == after:
            continue
        if "--check" in sys.argv:
            print(f"{page.name} is stale; run: .venv/bin/python tools/fill_docs.py", file=sys.stderr)
            stale = 1
        else:
            page.write_text(after)
    return stale


if __name__ == "__main__":
    raise SystemExit(main())
