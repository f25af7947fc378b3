# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module has tests in a file or folder of its name, and they use the common sequence (tests/simulated/shape.py)."""

from __future__ import annotations

import ast
import typing as t
from pathlib import Path

import pytest

from tools.figures.house import House

SHAPE = frozenset({"one_shape", "changes_once"})
"""Functions for modules that change something."""
READS = frozenset({*SHAPE, "reads"})
"""Functions for modules that only read."""
WITHOUT_SHAPE = {
    "accelerator_health": "each run evaluates again and changes only its own memory: its own test",
    "accelerator_jobs": "each run checks again and removes what it created: tests/integration/test_verify_eks.py",
    "cluster_health_check": "each run checks again: its own test",
    "host_certificate": "it changes nothing; its caller stores the certificate and passes it to the next run",
    "cluster_event_wait": "it changes nothing: its own test",
    "karpenter_info": "it calls a Kubernetes API server: tests/integration/test_watch_karpenter.py",
    "karpenter_proof": "each run proves it again: tests/integration/test_prove_karpenter.py",
    "kueue_topology_scheduling": "it changes Kueue in Kubernetes, without a call of AWS: its own test",
    "login_info": "it reads the configuration of sshd: tests/integration/test_report_drift_and_access.py",
    "kubernetes_drain": "it evicts Pods of Kubernetes: its own test",
    "kubernetes_nodes": "it cordons nodes of Kubernetes: tests/integration/test_remediate_eks.py",
    "kubernetes_objects": "it manages objects on a Kubernetes API server: tests/integration/test_kubernetes_lab.py",
    "kubernetes_permission_info": "it calls a Kubernetes API server: tests/integration/test_kubernetes_lab.py",
    "mpi_operator_info": "it calls a Kubernetes API server: its own test",
    "kubernetes_workload_info": "it calls a Kubernetes API server: its own test",
    "login_sessions": "it terminates sessions of a login manager: tests/integration/test_drain.py",
    "nccl_jobs": "each run measures again and removes what it created: its own test",
    "nccl_test": "each run measures again: its own test",
    "rollout_step": "each call may take another step: its own test",
    "readiness_gate": "its gate is a service of systemd: tests/integration/test_guard_sshd.py",
    "slurm_state": "it stops and starts Slurm: tests/integration/test_update_software.py",
    "slurm_user": "it cancels jobs of Slurm: tests/integration/test_offboard.py",
    "task_governance_info": "it calls a Kubernetes API server: its own test",
    "topology_info": "it calls a Kubernetes API server: its own test",
    "topology_job_info": "it calls a Kubernetes API server: its own test",
    "topology_job": "it submits to a Kubernetes API server: tests/integration/test_submit_topology_job.py",
    "training_job": "each run trains and removes what it created: its own test",
    "training_lease": "it acquires a Lease on a Kubernetes API server: its own test",
    "ssh_host_keys": "sshd checks and confirms its changes: tests/integration/test_guard_sshd.py",
    "sshd_config": "sshd checks and confirms its changes: tests/integration/test_guard_sshd.py",
}
"""Modules without the common sequence, with the reason and the test that replaces it. Their refusals are tested as for other modules."""


def modules(house: House) -> list[str]:
    """Names of modules, without those that only document an action plugin."""
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
    found = []
    for module in modules(house):
        tests = files_of(house, module)
        has_shape = bool(called(tests) & (READS if module.endswith("_info") else SHAPE))
        if not tests:
            found.append(f"{module} has no tests")
        elif has_shape is (module in without_shape):
            found.append(f"{module} needs no exception" if has_shape else f"{module}: its tests do not use the common sequence")
    return found


def strays(house: House) -> list[str]:
    """Test files that belong to no module."""
    known = {path for module in modules(house) for path in files_of(house, module)}
    return [house.name(path) for path in house.files("tests/modules/**/test_*.py") if path not in known]


def test_each_module_has_tests_with_the_common_sequence(house: House) -> None:
    assert problems(house, WITHOUT_SHAPE) == []
    assert set(WITHOUT_SHAPE) <= set(modules(house))


def test_each_test_file_belongs_to_a_module(house: House) -> None:
    assert strays(house) == [], "tests/modules/test_MODULE.py, or tests/modules/MODULE/test_TOPIC.py"


def test_the_replacing_tests_exist(house: House) -> None:
    named = [reason.partition(": ")[2] for reason in WITHOUT_SHAPE.values() if ": tests/" in reason]
    assert [name for name in named if not (house.root / name).exists()] == []


@pytest.mark.parametrize(
    ("module", "test", "text", "expected"),
    [
        ("a", "test_a.py", "one_shape()", []),
        ("a", "a/test_b.py", "def f():\n    changes_once()", []),
        ("a", "test_a.py", "reads()", ["a: its tests do not use the common sequence"]),
        ("a_info", "test_a_info.py", "reads()", []),
        ("a", "test_a_b.py", "one_shape()", ["a has no tests"]),
        ("exempt", "test_exempt.py", "reads()", []),
        ("exempt", "test_exempt.py", "one_shape()", ["exempt needs no exception"]),
    ],
)
def test_a_module_without_such_tests_is_reported(tmp_path: Path, module: str, test: str, text: str, expected: list[str]) -> None:
    for name, content in {f"plugins/modules/{module}.py": "\ndef main(): ...", f"tests/modules/{test}": text}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert problems(House(tmp_path), ["exempt"]) == expected
