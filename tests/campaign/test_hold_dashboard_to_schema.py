# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dashboard in extensions/monitoring, checked by the TypeScript types that Grafana publishes as @grafana/schema on npm.

The types describe dashboards and the options of panels, but neither queries of Prometheus nor transformations. That Grafana loads
the dashboard is not tested.
"""

from __future__ import annotations

import copy
import json
import subprocess
import typing as t
from pathlib import Path

import pytest
from lab.kubernetes import models

pytestmark = pytest.mark.slow  # its packages are installed for the campaign only
DASHBOARD = json.loads((Path(__file__).resolve().parents[2] / "extensions/monitoring/dashboard.json").read_text())
TYPES = {"stat": "Stat", "table": "Table", "timeseries": "TimeSeries", "state-timeline": "StateTimeline"}
"""The names of the types of panels."""
IMPORTS = """\
import type {{ Dashboard }} from "{schema}";
type Json<T> = T extends string ? `${{T}}` : T extends number | boolean | null | undefined ? T
  : T extends (infer E)[] ? Json<E>[] : T extends object ? {{ [K in keyof T]: Json<T[K]> }} : T;
"""
"""``Json`` permits the value of an enum as a literal, as a file has it."""


@pytest.fixture(scope="module")
def folder() -> Path:
    return models.installed()  # fails if they are not installed


def program(folder: Path, dashboard: dict[str, t.Any]) -> str:
    schema = folder / "node_modules/@grafana/schema/dist"
    lines = [IMPORTS.format(schema=schema / "types/index.d.ts")]
    for name in TYPES.values():
        panel = schema / f"esm/raw/composable/{name.lower()}/panelcfg/x/{name}PanelCfg_types.gen.d.ts"
        lines.append(f'import type * as {name} from "{panel}";')
    lines.append(f"export const dashboard: Json<Dashboard> = {json.dumps(dashboard)};")
    for each in dashboard["panels"]:
        name, custom = TYPES[each["type"]], each["fieldConfig"]["defaults"].get("custom")
        lines.append(f"export const options{each['id']}: Partial<Json<{name}.Options>> = {json.dumps(each['options'])};")
        lines += [f"export const custom{each['id']}: Json<{name}.FieldConfig> = {json.dumps(custom)};"] if custom else []
    return "\n".join(lines)


def errors(folder: Path, work: Path, dashboard: dict[str, t.Any]) -> str:
    (work / "dashboard.mts").write_text(program(folder, dashboard))
    compiler = [str(models.node_of(folder)), str(folder / "node_modules/typescript/bin/tsc"), "--noEmit", "--strict", "--skipLibCheck"]
    options = ["--module", "nodenext", "--target", "es2022", "--types", "", "dashboard.mts"]
    done = subprocess.run([*compiler, *options], cwd=work, capture_output=True, text=True, check=False)
    assert bool(done.stdout) is bool(done.returncode), done.stderr
    return done.stdout


def test_the_dashboard_has_the_published_types(folder: Path, tmp_path: Path) -> None:
    assert errors(folder, tmp_path, DASHBOARD) == ""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("graphTooltip",), 7),
        (("refreshing",), "1m"),
        (("panels", 0, "gridPos", "w"), "4"),
        (("panels", 0, "options", "colorMode"), "colorful"),
        (("panels", 0, "fieldConfig", "defaults", "thresholds"), {"mode": "relative", "steps": []}),
        (("panels", 1, "options", "reduceOption"), {}),
        (("panels", 8, "fieldConfig", "defaults", "custom", "drawStyle"), "zigzag"),
        (("templating", "list", 1, "refresh"), "always"),
    ],
)
def test_the_types_refuse_a_wrong_dashboard(folder: Path, tmp_path: Path, path: tuple[str | int, ...], value: t.Any) -> None:
    made = copy.deepcopy(DASHBOARD)
    place: t.Any = made
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    assert "error TS" in errors(folder, tmp_path, made)
