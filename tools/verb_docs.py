"""Write the tables of playbooks in README.md and docs/reference/playbooks.md, and of rights in docs/use/awx.md.

verb_docs.py writes them; verb_docs.py --check fails if a page is out of date.
"""

from __future__ import annotations

import sys
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.loaded import loaded  # noqa: E402

VERBS, RIGHTS = ROOT / "plugins/plugin_utils/verbs.py", ROOT / "plugins/plugin_utils/awx/rights.py"
README, PAGE, AWX = ROOT / "README.md", ROOT / "docs/reference/playbooks.md", ROOT / "docs/use/awx.md"
BEGIN = "<!-- Written by tools/verb_docs.py (make docs). Change {} instead. -->\n"
END = "<!-- End of the table. -->\n"


def pages() -> dict[Path, str]:
    """The pages with their tables."""
    table = loaded(VERBS)
    verbs = table.verbs().values()
    areas = {area: [verb for verb in verbs if verb.area == area] for area in table.AREAS}
    return {
        README: _replaced(README, _purposes(verbs)),
        PAGE: _replaced(PAGE, "\n".join(_area(*each) for each in areas.items())),
        AWX: _replaced(AWX, _rights(loaded(RIGHTS)), source="plugins/plugin_utils/awx/rights.py"),
    }


def _replaced(path: Path, text: str, source: str = "meta/verbs") -> str:
    begin = BEGIN.format(source)
    before, _begin, rest = path.read_text(encoding="utf-8").partition(begin)
    return f"{before}{begin}\n{text}\n{END}{rest.partition(END)[2]}"


def _rights(table: t.Any) -> str:
    rows = [[right.may, *("yes" if team in right.teams else "" for team in table.TEAMS)] for right in table.RIGHTS]
    titles = ["The team may", *(f"`{team}`" for team in table.TEAMS)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (titles, ["---"] * len(titles), *rows))


def _purposes(verbs: t.Iterable[t.Any]) -> str:
    rows = [f"| `{verb.name}` | {verb.clusters} | {verb.purpose} |\n" for verb in verbs]
    return "| playbook | clusters | purpose |\n|---|---|---|\n" + "".join(rows)


def _area(area: str, verbs: t.Iterable[t.Any]) -> str:
    rows = [_row(verb) for verb in verbs]
    title = f"## {area.replace('-', ' ').capitalize()}\n\n"
    return f"{title}| playbook | may change | started by | scheduled | asked for |\n|---|---|---|---|---|\n" + "".join(rows)


def _row(verb: t.Any) -> str:
    changes = ", ".join(verb.changes) or "nothing"
    asked = ", ".join(f"`{name}`" for name in verb.survey)
    return f"| `{verb.name}` | {changes} | {verb.role} | {_schedules(verb)} | {asked} |\n"


def _schedules(verb: t.Any) -> str:
    return "; ".join(f"{each.schedule}{_differs(each)}" for each in verb.templates.values() if each.schedule)


def _differs(template: t.Any) -> str:
    tags = [f"the job tag `{tag}`" for tag in template.job_tags]
    given = [f"`{name}: {str(value).lower()}`" for name, value in template.vars.items()]
    return f" with {' and '.join([*tags, *given])}" if tags or given else ""


def main(arguments: list[str]) -> int:
    stale = {path: text for path, text in pages().items() if path.read_text(encoding="utf-8") != text}
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date. Run make docs.")
        return int(bool(stale))
    for path, text in stale.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
