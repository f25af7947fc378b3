"""Write the tables of docs/reference/findings.md: the codes of findings, from their table in Python.

finding_docs.py writes the page; finding_docs.py --check fails if the page is out of date.
"""

from __future__ import annotations

import sys
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.loaded import loaded  # noqa: E402

TABLE = ROOT / "plugins/plugin_utils/findings/codes.py"
PAGE = ROOT / "docs/reference/findings.md"
BEGIN = "<!-- Written by tools/finding_docs.py (make docs) from here on. Change the table of codes instead. -->\n"


def page(now: str) -> str:
    """The page with the tables from the code."""
    return now.partition(BEGIN)[0] + BEGIN + "\n" + "\n".join(area(*each) for each in loaded(TABLE).AREAS.items())


def area(title: str, codes: t.Iterable[t.Any]) -> str:
    rows = [f"| `{each.name}` | {', '.join(each.kinds)} | {each.subject} | {each.says} |\n" for each in codes]
    return f"## {title}\n\n| code | kind | subject | meaning |\n|---|---|---|---|\n" + "".join(rows)


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
