# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nccl_test on a controller with fake Slurm programs: its calls, the test that it starts, and its verdict."""

from __future__ import annotations

import os
import pwd
import tempfile
import typing as t
from pathlib import Path

import pytest
from lab.accelerators.nccl import AllReduce
from simulated.bare_node import BareNode, answer

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")
MODULE = "nccl_test"
PROGRAM = """\
#!/usr/bin/env python3
import os, pathlib, sys
folder, name = pathlib.Path(__file__).parents[1], pathlib.Path(__file__).name
with (folder / "calls").open("a") as calls:
    calls.write("\\t".join([name, *sys.argv[1:]]).replace("\\n", " ") + "\\n")
first = folder / f"{name}.first"
answer = folder / name
status = folder / f"{name}.status"
if first.exists():
    answer, status = first.rename(folder / f"{name}.was"), folder / f"{name}.first.status"
if answer.exists():
    sys.stdout.buffer.write(answer.read_bytes())
if name == "srun":
    with (folder / "users").open("a") as users:
        users.write(f"{os.getuid()}\\n")
sys.exit(int(status.read_text()) if status.exists() else 0)
"""
FIRST = """
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
system.SEARCH_PATH = {path!r}
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl import observe
observe.POLL_SECONDS = 0.01
"""
TWO = {"addresses": ["10.1.2.3", "10.1.2.4"], "instance_type": "ml.p5.48xlarge", "gpus": 8}
IDLE = "ip-10-1-2-3|10.1.2.3|idle|none\nip-10-1-2-4|10.1.2.4|idle~|none\nip-10-1-2-5|10.1.2.5|mixed|none\n"


class Controller(BareNode):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "bin").mkdir()
        for name in ("srun", "sinfo", "squeue", "scontrol", "scancel"):
            (folder / "bin" / name).write_text(PROGRAM)
            (folder / "bin" / name).chmod(0o755)
        self.set_output(sinfo=IDLE, srun=AllReduce().text())
        folder.chmod(0o777)  # srun runs as nobody

    def set_output(self, status: int = 0, **answers: str | bytes) -> None:
        for name, text in answers.items():
            (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
            (self.folder / f"{name}.status").write_text(str(status))

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        for name in ("calls", "users"):
            (self.folder / name).write_text("")
            (self.folder / name).chmod(0o666)
        path = FIRST.format(path=f"{self.folder}/bin:/usr/bin:/bin")
        return answer(self.etc, module, {**TWO, **options, "_ansible_check_mode": check}, first=path)

    def measured(self, **options: t.Any) -> dict[str, t.Any]:
        result = self.run(MODULE, **options)
        assert not result.get("failed") and result["changed"] is False, result
        self.findings = result["hyperpod_findings"]
        return dict(result["nccl_test"])

    def started(self) -> list[list[str]]:
        lines = (self.folder / "calls").read_text().splitlines() if (self.folder / "calls").exists() else []
        return [line.split("\t") for line in lines if line.startswith("srun\t")]

    def users(self) -> list[int]:
        return list(map(int, (self.folder / "users").read_text().split()))


@pytest.fixture
def controller() -> t.Iterator[Controller]:
    """In a folder that account nobody can enter: each pytest closes the folder above its own ones again."""
    with tempfile.TemporaryDirectory() as folder:
        yield Controller(Path(folder))


def test_two_healthy_nodes(controller: Controller) -> None:
    result = controller.measured()
    assert (result["verdict"], result["carried_by"], result["gpu_direct"], result["bandwidth"], result["floor"]) == (
        "passed",
        "EFA",
        True,
        466.0,
        302.9,
    )
    assert result["reference"]["bandwidth"] == 466.0 and result["nodes"] == ["ip-10-1-2-3", "ip-10-1-2-4"] and controller.findings == []
    assert result["rows"][-1] == {"bytes": 4 * 1024**3, "bandwidth": 466.0} and len(result["rows"]) == 5
    (started,) = controller.started()
    assert {"--nodelist=ip-10-1-2-3,ip-10-1-2-4", "--exclusive", "--time=10", "--ntasks-per-node=8"} <= {*started}


def test_the_test_runs_as_nobody(controller: Controller) -> None:
    assert controller.measured()["verdict"] == "passed" and controller.users() == [pwd.getpwnam("nobody").pw_uid]


def test_it_runs_as_root_if_slurm_refuses_the_account(controller: Controller) -> None:
    line = "srun: error: Unable to allocate resources: Invalid account or account/partition combination specified"
    controller.set_output(1, **{"srun.first": f"{line}\n"})
    result = controller.measured()
    assert result["verdict"] == "passed" and controller.users() == [pwd.getpwnam("nobody").pw_uid, 0]
    assert result["evidence"][0] == f"The test ran as root, because Slurm refuses account nobody: {line}"
    controller.set_output(1, **{"srun.first": "srun: error: Unable to allocate resources: Requested nodes are busy\n"})
    assert controller.measured()["failure"] == "allocation" and len(controller.users()) == 1


def test_it_uses_a_partition_that_the_nodes_share(controller: Controller) -> None:
    shown = "".join(f"NodeName=ip-10-1-2-{number}\n   Partitions={names}\n" for number, names in ((3, "dev,a"), (4, "a")))
    controller.set_output(scontrol=shown)
    controller.measured()
    assert "--partition=a" in controller.started()[0]


def test_check_mode_starts_nothing(controller: Controller) -> None:
    result = controller.run(MODULE, check=True)
    assert (result["nccl_test"]["verdict"], result["nccl_test"]["failure"]) == (
        "not_run",
        "check-mode",
    ) and controller.started() == []
    assert result["nccl_test"]["nodes"] == ["ip-10-1-2-3", "ip-10-1-2-4"]


def test_a_node_with_jobs_is_left_alone(controller: Controller) -> None:
    controller.set_output(squeue="4711|alice|RUNNING|ip-10-1-2-[3-4]\n")
    result = controller.measured()
    assert (result["verdict"], result["failure"]) == ("not_run", "jobs") and controller.started() == []
    assert result["text"] == "Jobs run on the nodes: 4711 of alice on ip-10-1-2-3,ip-10-1-2-4."
    (finding,) = controller.findings
    assert (finding["kind"], finding["code"], finding["subject"]) == ("pending", "nccl-not-run", "ip-10-1-2-3, ip-10-1-2-4")
    assert controller.measured(beside_jobs=True)["verdict"] == "passed" and "--oversubscribe" in controller.started()[0]


def test_it_waits_for_the_end_of_an_earlier_test(controller: Controller) -> None:
    controller.set_output(**{"sinfo.first": IDLE.replace("|idle|", "|completing|"), "squeue.first": "9|root|COMPLETING|ip-10-1-2-3\n"})
    assert controller.measured()["verdict"] == "passed" and (controller.folder / "sinfo.was").exists()
    controller.set_output(sinfo=IDLE.replace("|idle|", "|completing|"))
    result = controller.measured(queue_timeout=1)
    assert result["text"] == "The state of nodes in Slurm does not allow the test: ip-10-1-2-3 is completing."
    controller.set_output(**{"squeue.first": "9|alice|RUNNING|ip-10-1-2-3\n"})
    assert controller.measured(queue_timeout=3600)["failure"] == "jobs", "a running job is not waited for"


@pytest.mark.parametrize(
    ("addresses", "text"),
    [
        (["10.1.2.3", "10.1.2.5"], "The state of nodes in Slurm does not allow the test: ip-10-1-2-5 is mixed."),
        (["10.1.2.3", "10.9.9.9"], "Slurm has no nodes with these addresses: 10.9.9.9."),
    ],
)
def test_nodes_that_slurm_cannot_allocate(controller: Controller, addresses: list[str], text: str) -> None:
    result = controller.measured(addresses=addresses)
    assert (result["verdict"], result["failure"], result["text"]) == ("not_run", "allocation", text) and controller.started() == []


def test_slow_and_wrong_results_are_findings_without_a_failure(controller: Controller) -> None:
    for test, verdict, code in (
        (AllReduce(bandwidth=100.0), "slow", "nccl-slow"),
        (AllReduce(network="Socket", provider="", bandwidth=9.5), "failed", "nccl-no-efa"),
        (AllReduce(wrong="1"), "failed", "nccl-failed"),
    ):
        controller.set_output(srun=test.text())
        result = controller.measured()
        (finding,) = controller.findings
        assert (result["verdict"], finding["code"], finding["kind"], finding["severity"]) == (verdict, code, "note", "warning")


def test_a_failure_of_the_test_program_is_named(controller: Controller) -> None:
    controller.set_output(1, srun="0: mlfleet.hyperpod: no program all_reduce_perf, and no PyTorch\n")
    result = controller.measured()
    assert (result["verdict"], result["failure"]) == ("not_run", "image") and result["bandwidth"] is None
    assert result["evidence"][0] == "mlfleet.hyperpod: no program all_reduce_perf, and no PyTorch"


def test_output_of_nodes_is_shown_as_short_printable_lines(controller: Controller) -> None:
    rude = b"\x1b[2J\xe2\x80\xaeerror: out of memory \xff" + b"x" * 5000 + b"\n"
    controller.set_output(1, srun=rude * 2000)
    controller.set_output(sinfo="ip-10-1-2-3|10.1.2.3|idle|none\nip\x1b[1m|10.1.2.4|idle|none\n")
    result = controller.measured()
    assert (result["verdict"], result["failure"]) == ("not_run", "memory") and len(result["evidence"]) <= 12
    assert all(each.isprintable() and len(each) <= 301 for each in [result["text"], *result["evidence"], *result["nodes"]])


def test_without_slurm_the_module_fails_with_a_message(node: BareNode) -> None:
    result = node.run(MODULE, **TWO)
    assert result["failed"] and result["msg"] == "sinfo is not installed on this node."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"addresses": []}, "addresses: the list is empty"),
        ({"addresses": ["ip-10-1-2-3"]}, "addresses: 'ip-10-1-2-3' is not allowed."),
        ({"gpus": 0}, "gpus: 0 is not allowed. Allowed: 1 to 16."),
        ({"gpus": 1, "addresses": ["10.1.2.3"]}, "gpus: a single GPU has no peer"),
        ({"bytes": 8}, "bytes: 8 is not allowed."),
        ({"timeout": 5}, "timeout: 5 is not allowed."),
        ({"queue_timeout": 0}, "queue_timeout: 0 is not allowed."),
        ({"floor_percent": 101}, "floor_percent: 101 is not allowed."),
        ({"reference": "nan"}, "reference: nan is not allowed."),
        ({"program": "all_reduce_perf"}, "program: 'all_reduce_perf' is not allowed."),
        ({"mpi": "pmix --uid=0"}, "mpi: 'pmix --uid=0' is not allowed."),
    ],
)
def test_bad_input_is_refused(controller: Controller, options: dict[str, t.Any], message: str) -> None:
    result = controller.run(MODULE, **options)
    assert result["failed"] and result["msg"].startswith(message) and controller.started() == [], result
