# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page about eksctl files has each key that a run knows, with the same reasons, and no task ignores what a file sets."""

from __future__ import annotations

import re
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import instance_types
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl_keys import FIXED, REFUSED, WITHOUT_EFFECT

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/reference/eksctl-file.md").read_text()
TEXTS = dict(re.findall(r"^## (.*)\n([^#]*)", PAGE, re.M))
SECTIONS = {title: set(re.findall(r"^\| `(\S+)` \|(.*)\|$", text, re.M)) for title, text in TEXTS.items()}


def test_keys_without_effect() -> None:
    assert SECTIONS["Keys without effect"] == {(key, f" {reason} ") for key, reason in WITHOUT_EFFECT.items()}


def test_keys_with_one_value() -> None:
    values = {key: str(allowed[0]) if isinstance(allowed[0], str) else str(allowed[0]).lower() for key, (allowed, _why) in FIXED.items()}
    assert SECTIONS["Keys with only one value"] == {(key, f" `{values[key]}` | {why} ") for key, (_allowed, why) in FIXED.items()}


def test_refused_keys() -> None:
    assert SECTIONS["Refused keys"] == {(key, f" {why} | {step or '-'} ") for key, (why, step) in REFUSED.items()}


def test_families_of_instance_types() -> None:
    named = set(re.findall(r"`([a-z]+)`", TEXTS["The system group and GPU groups"])) - {"f", "vt"}
    assert named == {*instance_types.ACCELERATED, *instance_types.GENERAL}


def test_no_task_reads_a_variable_that_a_file_may_set() -> None:
    """Such a task would ignore the file. Views have the values of both sources."""
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|$", TEXTS["Keys that set variables"], re.M)
    set_by_file = {f"training_cluster_{name}" for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
    assert {"training_cluster_boundary", "training_cluster_name"} <= set_by_file
    tasks = {path: path.read_text() for path in (ROOT / "roles/training_cluster/tasks").glob("*.yml")}
    used = {path.name: set_by_file.intersection(re.findall(r"\btraining_cluster_\w+", text)) for path, text in tasks.items()}
    assert {name: found for name, found in used.items() if found} == {}
