"""Write every document that is made from the code; `--check` writes nothing and fails when one is stale.

These are the tables and patterns between marks in pages of docs/, the catalogues of tools, the documents of the socket
protocol, and the variables of model providers in docker-compose.yml. A test runs the check."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

# The repository is not an installed package here, so its path comes first.
from limits_table import limits_table  # noqa: E402
from operations_table import operations_table  # noqa: E402

from agents.offline.commands.analyses.analysis import COMMANDS as ANALYSES  # noqa: E402
from agents.offline.coverage import MODULES  # noqa: E402
from agents.offline.language.parts import PART_TEXTS  # noqa: E402
from server.cli.exports import tools_document  # noqa: E402
from server.gis.operations import OPERATIONS  # noqa: E402
from server.protocol.export import files as protocol_documents  # noqa: E402
from server.settings import Settings  # noqa: E402

PROVIDERS = json.loads((ROOT / "agents/models/providers.json").read_text())["providers"]
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


def providers_table() -> str:
    lines = ["| provider | service | key | address |", "| --- | --- | --- | --- |"]
    for name, entry in PROVIDERS.items():
        key = f"`{entry['key_env']}`" + ("" if entry.get("key_required", True) else ", if it asks for one")
        address = f"`{entry['base_url_env']}`" + (
            f", else {entry['base_url']}" if "base_url" in entry else ""
        )
        lines.append(f"| `{name}` | {entry['title']} | {key} | {address} |")
    return "\n".join(lines)


def provider_variables() -> str:
    names = [entry[field] for entry in PROVIDERS.values() for field in ("key_env", "base_url_env")]
    return "\n".join(f"      {name}: ${{{name}:-}}" for name in names)


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


def documents() -> dict[Path, str]:
    """The content of each generated document."""
    parts = (
        ("settings.md", "settings", settings_table),
        ("settings.md", "limits", limits_table),
        ("models.md", "providers", providers_table),
        ("analysis.md", "operations", operations_table),
        ("offline-language.md", "patterns", patterns),
    )
    made: dict[Path, str] = {}
    for page, part, text in parts:
        path = ROOT / "docs" / page
        made[path] = _filled(made.get(path) or path.read_text(), part, text())
    events, compose = ROOT / "docs/events.md", ROOT / "docker-compose.yml"
    made[events] = events.read_text()
    for name in re.findall(r"<!-- example (\S+) -->", made[events]):
        made[events] = _between(made[events], f"<!-- example {name} -->", "<!-- /example -->", example(name))
    made[compose] = _between(
        compose.read_text(), "# providers, by tools/fill_docs.py", "      # /providers", provider_variables()
    )
    made[ROOT / "docs/tools.md"] = tools_document("markdown")
    made[ROOT / "docs/tools.openapi.json"] = tools_document("openapi")
    return {**made, **protocol_documents()}


def _filled(page: str, part: str, content: str) -> str:
    return _between(page, f"<!-- {part} -->", f"<!-- /{part} -->", content)


def _between(text: str, first: str, last: str, inside: str) -> str:
    start = text.index(first) + len(first)
    end = text.index(last, start)
    return f"{text[:start]}\n{inside}\n{text[end:]}"


def main() -> int:
    stale = {
        path: text for path, text in documents().items() if not path.exists() or path.read_text() != text
    }
    for path, text in stale.items():
        if "--check" in sys.argv:
            print(
                f"{path.relative_to(ROOT)} is stale; run: .venv/bin/python tools/fill_docs.py "
                "(docs/architecture.md#where-a-change-goes)",
                file=sys.stderr,
            )
        else:
            path.write_text(text)
            print(path.relative_to(ROOT))
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    raise SystemExit(main())
