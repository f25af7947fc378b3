# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of AWS's statuses and error codes, compared with the models of the installed botocore, which may be newer."""

from __future__ import annotations

import ast
import importlib
import re
import typing as t
from pathlib import Path

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.statuses import Statuses
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets import model as targets
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod import api, statuses
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster import apply as cluster

ROOT = Path(__file__).parents[4]
PLUGINS = "ansible_collections.mlfleet.hyperpod."
SESSION = botocore.session.get_session()
SPLIT = (
    (
        "elbv2",
        "TargetHealthStateEnum",
        (targets.HEALTHY, targets.INITIAL, targets.DRAINING, *targets.NEVER_HEALTHY, *targets.UNHEALTHY),
    ),
)
"""Enumerations whose values are classified elsewhere than in a :class:`Statuses`."""
REPORTED = ("ResourceLimitExceeded",)
"""Errors of HyperPod's operations that are only reported to the user."""
DISTINCTIVE = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:-[a-z]+)+|[A-Z]+_[A-Z]+")
"""Values that rarely mean something else."""
OTHERS = {("plugins/plugin_utils/_accelerators/service.py", "InProgress"): "value of a Kubernetes label"}
"""File and value, with its meaning there."""


def _files() -> list[Path]:
    return sorted(ROOT.glob("plugins/module_utils/**/*.py")) + sorted(ROOT.glob("plugins/plugin_utils/**/*.py"))


def _tables() -> t.Iterator[tuple[Path, Statuses]]:
    for path in _files():
        if re.search(r"^[A-Z_]+ = Statuses\(", path.read_text("utf-8"), re.MULTILINE):
            name = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
            found = vars(importlib.import_module(PLUGINS + name)).values()
            yield from ((path, each) for each in found if isinstance(each, Statuses))


TABLES = {(each.service, each.shape): (path, each) for path, each in _tables()}


def _enum(service: str, shape: str) -> set[str]:
    return set(SESSION.get_service_model(service).shape_for(shape).enum)


def test_the_tables_are_found() -> None:
    assert len(TABLES) >= 20 and ("sagemaker", "ClusterInstanceStatus") in TABLES


@pytest.mark.parametrize(
    ("service", "shape", "values"),
    [*((*key, table.values) for key, (_path, table) in TABLES.items()), *SPLIT],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_table_names_each_value_once(service: str, shape: str, values: tuple[str, ...]) -> None:
    assert sorted(_enum(service, shape) - set(values)) == []
    assert len(set(values)) == len(values)


def test_an_unknown_status_counts_as_busy() -> None:
    assert statuses.NODE.is_busy("Splendid") and statuses.NODE.is_busy("DetachInProgress")
    assert not any(map(statuses.NODE.is_busy, ("", "Running", "Failure")))


def test_each_error_that_an_operation_declares_is_known() -> None:
    """Only operations of HyperPod that this collection calls."""
    known = {*api.NOT_FOUND, api.BUSY, cluster.TAKEN, *REPORTED}
    model = SESSION.get_service_model("sagemaker")
    called = {
        node.value
        for path in ROOT.glob("plugins/module_utils/_hyperpod/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in model.operation_names
    }
    assert {"CreateCluster", "BatchReplaceClusterNodes", "CreateComputeQuota"} <= called
    declared = {(name, error.name) for name in called for error in model.operation_model(name).error_shapes}
    assert sorted(each for each in declared if each[1] not in known) == []


def test_a_status_is_written_in_only_one_file() -> None:
    """A copy would miss new values of the table. Services share error codes, so these are not checked."""
    homes: dict[str, set[Path]] = {}
    for (_service, shape), (path, table) in TABLES.items():
        for value in table.values if "ErrorCode" not in shape else ():
            homes.setdefault(value, set()).add(path)
    copies = [
        (str(path.relative_to(ROOT)), node.value)
        for path in _files()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and DISTINCTIVE.fullmatch(node.value)
        if path not in homes.get(node.value, {path})
    ]
    assert set(copies) == set(OTHERS), copies
