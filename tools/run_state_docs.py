"""Write the tables of docs/design/run-state.md: the fields of the variable hyperpod_run, from their schema.

run_state_docs.py writes the page; run_state_docs.py --check fails if the page is out of date.
"""

from __future__ import annotations

import sys
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.loaded import loaded  # noqa: E402

SCHEMA = ROOT / "plugins/plugin_utils/run/state.py"
PAGE = ROOT / "docs/design/run-state.md"
BEGIN = "<!-- Written by tools/run_state_docs.py (make docs) from here on. Change the schema instead. -->\n"


def page(now: str) -> str:
    """The page with the tables from the schema."""
    state = loaded(SCHEMA)
    tables = [table("On the host of a cluster", state.CLUSTER), table("On the host of a node", state.NODE)]
    return now.partition(BEGIN)[0] + BEGIN + "\n" + "\n".join(tables)


def table(title: str, fields: t.Iterable[t.Any]) -> str:
    rows = [f"| `{each.name}` | {kinds(each)} | {each.owner} | {each.says} |\n" for each in fields]
    return f"## {title}\n\n| field | type | set by | meaning |\n|---|---|---|---|\n" + "".join(rows)


def kinds(field: t.Any) -> str:
    names = {tuple: "", type(None): "null"}
    return " or ".join(filter(None, (names.get(kind, kind.__name__) for kind in field.kinds)))


def main(arguments: list[str]) -> int:
    now = PAGE.read_text(encoding="utf-8")
    wanted = page(now)
    if now == wanted:
        return 0
    if "--check" in arguments:
        print(f"{PAGE.relative_to(ROOT)} is out of date. Run make docs.")
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
