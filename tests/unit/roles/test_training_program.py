# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training program without PyTorch: its imports, and the events that ``_training/events.py`` reads."""

from __future__ import annotations

import ast
import dataclasses
import json
import sys
import types
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training import events
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import Event
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import Program

PROGRAM = Path(__file__).resolve().parents[3] / "roles/verify_training/files/train.py"
OLDEST_PYTHON = (3, 10)
"""The Python of images with PyTorch 2.7."""
PIPE_BUF = 4096


@pytest.fixture(scope="module")
def program() -> ast.Module:
    return ast.parse(PROGRAM.read_text(), feature_version=OLDEST_PYTHON)


def assigned(program: ast.Module, name: str) -> t.Any:
    """The literal value of a constant."""
    (value,) = [node.value for node in program.body if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name]
    return ast.literal_eval(value)


def reports(program: ast.Module) -> dict[str, set[str]]:
    """Fields of the program's reports by event."""
    calls = [node for node in ast.walk(program) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "report"]
    assert len(calls) == len({ast.literal_eval(call.args[0]) for call in calls}), "one call per event"
    return {ast.literal_eval(call.args[0]): {str(keyword.arg) for keyword in call.keywords} for call in calls}


def test_it_imports_pytorch_and_the_standard_library_only(program: ast.Module) -> None:
    found = set()
    for node in ast.walk(program):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module
            found.add(node.module.split(".")[0])
    assert found - sys.stdlib_module_names == {"torch"}


def test_it_prints_the_events_that_are_read(program: ast.Module) -> None:
    common = {field.name for field in dataclasses.fields(Event)}
    fields = {name: {field.name for field in dataclasses.fields(cls)} - common for name, cls in events.EVENTS.items()}
    assert reports(program) == fields


def test_each_line_has_the_common_fields(program: ast.Module) -> None:
    function = next(node for node in program.body if isinstance(node, ast.FunctionDef) and node.name == "report")
    keys = next(node for node in ast.walk(function) if isinstance(node, ast.Dict)).keys
    assert ast.unparse(keys[0]) == "PREFIX" and {key.value for key in keys[1:]} == {field.name for field in dataclasses.fields(Event)}
    assert assigned(program, "PREFIX") == events.NAME
    assert json.dumps({events.NAME: "step"}).startswith(events.BEGIN)


def test_the_longest_error_is_one_write() -> None:
    line = {events.NAME: "error", "rank": 10**5, "attempt": 10**13, "time": 10**10 + 0.125, "step": 10**8}
    assert len(json.dumps({**line, "type": "x" * 64, "phase": "x" * 16, "message": "\U0001f600" * 300})) + 1 < PIPE_BUF
    assert "message=str(error)[:300]" in PROGRAM.read_text()


@pytest.mark.parametrize(
    ("before", "every", "expected"),
    [(56, 5, 55), (55, 5, 50), (54, 5, 50), (5, 5, 0), (6, 5, 5), (2, 1, 1), (1, 1, 0), (56, 0, 0), (27, 2, 26), (1, 3, 0)],
)
def test_last_checkpoint_returns_the_last_one_before_a_step(program: ast.Module, before: int, every: int, expected: int) -> None:
    assert last_checkpoint(program)(before, every) == expected


@pytest.mark.parametrize("every", range(4))
def test_no_job_is_interrupted_by_default(program: ast.Module, every: int) -> None:
    assert last_checkpoint(program)(0, every) <= 0


@pytest.mark.parametrize("steps", range(4, 60))
@pytest.mark.parametrize("resume_from", [0, 1, 7, 40])
def test_a_checkpoint_is_complete_before_the_job_is_interrupted(program: ast.Module, steps: int, resume_from: int) -> None:
    settings = Program("", steps=resume_from + steps, resume_from=resume_from, kill=True)
    newest = last_checkpoint(program)(settings.interrupt_at, settings.saved_every)
    assert resume_from < newest < settings.interrupt_at < settings.steps


def test_a_job_is_interrupted_only_if_no_newer_checkpoint_was_loaded(program: ast.Module) -> None:
    """The count of restarts is per launcher, and 0 on a node whose processes were restarted by another launcher."""
    function = next(node for node in program.body if isinstance(node, ast.FunctionDef) and node.name == "run")
    (killed,) = [node for node in ast.walk(function) if isinstance(node, ast.If) and "dist.barrier" in ast.unparse(node.body[0])]
    assert ast.unparse(killed.test) == "step in (args.kill_at, args.hold_at) and first < last_checkpoint(step, args.checkpoint_every)"
    assert "RESTART_COUNT" not in PROGRAM.read_text()


def last_checkpoint(program: ast.Module) -> t.Callable[[int, int], int]:
    return function(program, "last_checkpoint")


def function(program: ast.Module, name: str, **names: t.Any) -> t.Callable[..., t.Any]:
    """A function without its module, which needs PyTorch.

    :param names: the names that the function uses.
    """
    found = next(node for node in program.body if isinstance(node, ast.FunctionDef) and node.name == name)
    exec(compile(ast.Module([found], []), "train.py", "exec"), names)
    return t.cast("t.Callable[..., t.Any]", names[name])


@pytest.mark.parametrize(("major", "expected"), [(7, "float16"), (8, "bfloat16"), (9, "bfloat16"), (10, "bfloat16")])
def test_bfloat16_requires_compute_capability_8(program: ast.Module, major: int, expected: str) -> None:
    torch = types.SimpleNamespace(float16="float16", bfloat16="bfloat16", dtype=str)
    assert function(program, "reduced_precision", torch=torch)(major) == expected


def device(folder: Path, name: str, sent: str | None = "0", ids: tuple[str, str] | None = ("0x1d0f", "0xefa2")) -> None:
    """A device in a copy of sysfs.

    :param sent: content of the counter; None for a driver without counters.
    :param ids: vendor and device ID; None for a device without PCI.
    """
    counters = folder / name / "ports/1/hw_counters"
    counters.mkdir(parents=True)
    if sent is not None:
        (counters / "tx_bytes").write_text(f"{sent}\n")
    for file, value in zip(("vendor", "device"), ids or ()):
        (folder / name / "device").mkdir(exist_ok=True)
        (folder / name / "device" / file).write_text(f"{value}\n")


@pytest.fixture
def read(program: ast.Module) -> t.Callable[[Path], tuple[int | None, int | None]]:
    names: dict[str, t.Any] = {"Path": Path, "SENT": assigned(program, "SENT"), "EFA": assigned(program, "EFA")}
    names["is_efa"] = function(program, "is_efa", **names)
    return function(program, "efa_sent", **names)


def test_bytes_of_efa_devices_are_added(tmp_path: Path, read: t.Any) -> None:
    assert read(tmp_path / "none") == (0, 0) and read(tmp_path) == (0, 0)
    device(tmp_path, "rdmap16s27", "100")
    device(tmp_path, "efa_1", str(2**60))
    device(tmp_path, "mlx5_0", "7", ids=("0x15b3", "0x1021"))
    device(tmp_path, "rxe0", "7", ids=None)
    assert read(tmp_path) == (2, 2**60 + 100)


@pytest.mark.parametrize("sent", [None, "", "many"])
def test_a_counter_that_cannot_be_read_is_unknown(tmp_path: Path, read: t.Any, sent: str | None) -> None:
    device(tmp_path, "a", "100")
    device(tmp_path, "b", sent)
    assert read(tmp_path) == (2, None)


def test_a_folder_that_cannot_be_read_is_unknown(tmp_path: Path, read: t.Any) -> None:
    (tmp_path / "infiniband").write_text("")
    assert read(tmp_path / "infiniband") == (None, None)


@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [
        ((4, 100), (4, 350), (4, 250)),
        ((4, 100), (4, 100), (4, 0)),
        ((4, 100), (4, 50), (4, None)),
        ((4, 100), (3, 350), (3, None)),
        ((4, None), (4, 350), (4, None)),
        ((4, 100), (4, None), (4, None)),
        ((4, 100), (None, None), (None, None)),
        ((0, 0), (0, 0), (0, 0)),
        ((4, 0), (4, 2**60), (4, 2**53)),
    ],
)
def test_only_equal_devices_have_a_difference(program: ast.Module, before: t.Any, after: t.Any, grown: t.Any) -> None:
    assert function(program, "efa_grown")(before, after) == grown
    assert (grown[1] or 0) <= events.LARGEST_INT


def test_it_compares_local_shards(program: ast.Module) -> None:
    attributes = {node.attr for node in ast.walk(program) if isinstance(node, ast.Attribute)}
    assert "to_local" in attributes and "full_tensor" not in attributes


def test_checkpoints_are_removed_at_the_end(program: ast.Module) -> None:
    function = next(node for node in program.body if isinstance(node, ast.FunctionDef) and node.name == "run")
    *_before, left, removal = function.body
    assert ast.unparse(left) == "dist.destroy_process_group()" and isinstance(removal, ast.If)
    assert ast.unparse(removal.test) == "args.remove and RANK == 0"
