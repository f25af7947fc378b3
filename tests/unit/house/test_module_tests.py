# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module has its tests, in a file or a folder of its name, and they have the one shape (tests/simulated/shape.py)."""

from __future__ import annotations

import ast
import typing as t
from pathlib import Path

import pytest

from tools.figures.house import House

SHAPE = frozenset({"one_shape", "changes_once"})
"""For modules that change something."""
READS = frozenset({*SHAPE, "reads"})
"""For those that never do."""
WITHOUT_SHAPE = {
    "accelerator_health": "it judges anew with each run and changes nothing but what it remembers: its own test",
    "accelerator_jobs": "it looks again with each run, and what it makes is gone after it: tests/integration/test_verify_eks.py",
    "cluster_health_check": "it checks again with each run: its own test",
    "host_certificate": "it changes nothing itself: who calls it keeps what it signed, and gives it back next time",
    "karpenter_info": "it asks a Kubernetes API server: tests/integration/test_watch_karpenter.py",
    "karpenter_proof": "it proves it again with each run: tests/integration/test_prove_karpenter.py",
    "kueue_topology_scheduling": "it changes Kueue in Kubernetes, which no call of AWS shows: its own test",
    "login_info": "it reads what sshd says of its configuration: tests/integration/test_report_drift_and_access.py",
    "kubernetes_nodes": "it cordons nodes of Kubernetes: tests/integration/test_remediate_eks.py",
    "kubernetes_objects": "it keeps objects on a Kubernetes API server: tests/integration/test_kubernetes_lab.py",
    "kubernetes_permission_info": "it asks a Kubernetes API server: tests/integration/test_kubernetes_lab.py",
    "login_sessions": "it ends sessions of a login manager: tests/integration/test_drain.py",
    "nccl_jobs": "it measures anew with each run, and what it makes is gone after it: its own test",
    "nccl_test": "it measures anew with each run: its own test",
    "readiness_gate": "its gate is a service of systemd: tests/integration/test_guard_sshd.py",
    "slurm_state": "it stops Slurm and starts it again: tests/integration/test_update_software.py",
    "slurm_user": "it cancels jobs of Slurm: tests/integration/test_offboard.py",
    "task_governance_info": "it asks a Kubernetes API server: its own test",
    "topology_info": "it asks a Kubernetes API server: its own test",
    "topology_job_info": "it asks a Kubernetes API server: its own test",
    "topology_job": "it submits to a Kubernetes API server: tests/integration/test_submit_topology_job.py",
    "training_job": "it trains with each run, and removes what it creates: its own test",
    "ssh_host_keys": "sshd checks and confirms what it writes: tests/integration/test_guard_sshd.py",
    "sshd_config": "sshd checks and confirms what it writes: tests/integration/test_guard_sshd.py",
}
"""What does it again, or needs a machine, and the test that has one. What they refuse, and what they find on a bare node, is tested as for others."""


def modules(house: House) -> list[str]:
    """Not those that are the documentation of an action alone: its tests are those of the action."""
    files = [Path(file) for file in house.code if file.startswith("plugins/modules/")]
    return [file.stem for file in files if "\ndef main(" in (house.root / file).read_text()]


def files_of(house: House, module: str) -> list[Path]:
    return house.files(f"tests/modules/test_{module}.py", f"tests/modules/{module}/test_*.py")


def called(files: t.Iterable[Path]) -> set[str]:
    """Names of functions that tests call."""
    trees = [ast.parse(path.read_text()) for path in files]
    calls = [node.func for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {call.id for call in calls if isinstance(call, ast.Name)}


def problems(house: House, without_shape: t.Collection[str]) -> list[str]:
    told = []
    for module in modules(house):
        tests = files_of(house, module)
        has_shape = bool(called(tests) & (READS if module.endswith("_info") else SHAPE))
        if not tests:
            told.append(f"{module} has no tests")
        elif has_shape is (module in without_shape):
            told.append(f"{module} is excused for nothing" if has_shape else f"{module}: its tests do not have the one shape")
    return told


def strays(house: House) -> list[str]:
    """Test files that are not those of a module."""
    known = {path for module in modules(house) for path in files_of(house, module)}
    return [house.name(path) for path in house.files("tests/modules/**/test_*.py") if path not in known]


def test_each_module_has_tests_of_the_one_shape(house: House) -> None:
    assert problems(house, WITHOUT_SHAPE) == []
    assert set(WITHOUT_SHAPE) <= set(modules(house))


def test_each_file_of_tests_is_that_of_a_module(house: House) -> None:
    assert strays(house) == [], "tests/modules/test_MODULE.py, or tests/modules/MODULE/test_TOPIC.py"


def test_tests_that_stand_in_for_others_are_there(house: House) -> None:
    named = [reason.partition(": ")[2] for reason in WITHOUT_SHAPE.values() if ": tests/" in reason]
    assert [name for name in named if not (house.root / name).exists()] == []


@pytest.mark.parametrize(
    ("module", "test", "text", "expected"),
    [
        ("a", "test_a.py", "one_shape()", []),
        ("a", "a/test_b.py", "def f():\n    changes_once()", []),
        ("a", "test_a.py", "reads()", ["a: its tests do not have the one shape"]),
        ("a_info", "test_a_info.py", "reads()", []),
        ("a", "test_a_b.py", "one_shape()", ["a has no tests"]),
        ("excused", "test_excused.py", "reads()", []),
        ("excused", "test_excused.py", "one_shape()", ["excused is excused for nothing"]),
    ],
)
def test_a_module_that_lacks_them_is_named(tmp_path: Path, module: str, test: str, text: str, expected: list[str]) -> None:
    for name, content in {f"plugins/modules/{module}.py": "\ndef main(): ...", f"tests/modules/{test}": text}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert problems(House(tmp_path), ["excused"]) == expected
