"""Count code that is hard to read, and print a table.

house.py [FOLDER...]              the figures of each checkout, default this one, in columns
house.py --show FIGURE [FOLDER]   the definition of a figure, and each place
house.py --json [FOLDER...]       the figures as JSON
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import typing as t
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.figures import code, imports, playbooks, ratchet, roles, subjects, templates, tree, variables, volume, words  # noqa: E402
from tools.figures.house import House  # noqa: E402

Value = int | float
Table = t.Callable[[House], dict[str, int]]
FIGURES: tuple[ratchet.Figure, ...] = (
    templates.filters,
    templates.expressions,
    templates.over_two_filters,
    templates.filters_in_conditions,
    templates.extract_chains,
    templates.sentences,
    templates.sentences_made,
    variables.facts,
    variables.public_facts,
    variables.set_facts,
    variables.private_variables,
    roles.named_tasks,
    roles.other_first_words,
    roles.entries,
    roles.entries_without_spec,
    roles.most_task_files,
    roles.most_entries,
    roles.repeated_arguments,
    playbooks.most_plays,
    imports.opened_worst,
    imports.opened_median,
    imports.opened_with_ground_worst,
    imports.opened_with_ground_median,
    code.public_key_classes,
    code.error_boundaries,
    code.filter_names,
    code.predicted_by_hand,
    code.function_p50,
    code.function_p95,
    code.longest_function,
    code.files_over_300,
    code.copied_actions,
    code.one_field_views,
    subjects.most_folders_of_a_subject,
    subjects.across_subjects,
    tree.misplaced_tests,
    tree.untested_files,
)
TABLES: tuple[Table, ...] = (
    roles.task_files,
    roles.entries_by_role,
    roles.unspecified_by_role,
    roles.first_words,
    playbooks.plays,
    imports.opened_most,
    subjects.folders_of_a_subject,
    words.dialect,
    code.longest_functions,
    code.longest_files,
    volume.lines,
)


def measured(house: House) -> dict[str, dict[str, Value]]:
    """All figures by group; single numbers form the group ``figures``."""
    return {
        "figures": {figure.__name__: ratchet.number(figure, house) for figure in FIGURES},
        **{table.__name__: t.cast("dict[str, Value]", table(house)) for table in TABLES},
    }


def table(columns: dict[str, dict[str, dict[str, Value]]]) -> t.Iterator[str]:
    """A line for each figure, a column for each checkout; - for a missing row."""
    yield _line("", list(columns))
    for group in ("figures", *(each.__name__ for each in TABLES)):
        yield f"{group}:"
        for row in dict.fromkeys(row for column in columns.values() for row in column[group]):
            yield _line(f"  {row}", [_cell(column[group].get(row)) for column in columns.values()])


def _cell(value: Value | None) -> str:
    return "-" if value is None else f"{value:.10g}"


def _line(name: str, cells: list[str]) -> str:
    return f"{name:<64}" + "".join(f"{cell[-15:]:>16}" for cell in cells)


def show(name: str, house: House) -> t.Iterator[str]:
    """The definition of a figure, and its places or rows."""
    figure = {each.__name__: each for each in (*FIGURES, *TABLES)}[name]
    rows = rows_of(figure(house))
    yield f"{name}: {inspect.getdoc(figure)}"
    yield from (f"  {row}" for row in rows)
    if len(rows) > 1:
        yield f"  {len(rows)} in all"


def rows_of(found: Value | list[str] | dict[str, int]) -> list[str]:
    """Places, rows of a table, or one number."""
    if isinstance(found, dict):
        return [f"{row}: {value}" for row, value in found.items()]
    return found if isinstance(found, list) else [f"{found:.10g}"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="*", type=Path, default=[ROOT])
    parser.add_argument("--show", metavar="FIGURE", choices=[each.__name__ for each in (*FIGURES, *TABLES)])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if len({folder.resolve().name for folder in options.folders}) < len(options.folders):
        parser.error("two of the folders have the same name, so their columns would be ambiguous")
    return options


def main() -> int:
    options = arguments()
    houses = {folder.resolve().name: House(folder.resolve()) for folder in options.folders}
    if options.show:
        lines = [line for house in houses.values() for line in show(options.show, house)]
    else:
        columns = {name: measured(house) for name, house in houses.items()}
        lines = [json.dumps(columns, indent=2)] if options.json else list(table(columns))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
