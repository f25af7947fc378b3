# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nccl_test on a controller whose Slurm is a few programs: what it asks of Slurm, what it starts, and what it makes of the answer."""

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
SAYS = """\
#!/usr/bin/env python3
import os, pathlib, sys
folder, name = pathlib.Path(__file__).parents[1], pathlib.Path(__file__).name
with (folder / "told").open("a") as told:
    told.write("\\t".join([name, *sys.argv[1:]]).replace("\\n", " ") + "\\n")
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
            (folder / "bin" / name).write_text(SAYS)
            (folder / "bin" / name).chmod(0o755)
        self.says(sinfo=IDLE, srun=AllReduce().text())
        folder.chmod(0o777)  # srun runs as nobody

    def says(self, status: int = 0, **answers: str | bytes) -> None:
        for name, text in answers.items():
            (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
            (self.folder / f"{name}.status").write_text(str(status))

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        for name in ("told", "users"):
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
        lines = (self.folder / "told").read_text().splitlines() if (self.folder / "told").exists() else []
        return [line.split("\t") for line in lines if line.startswith("srun\t")]

    def users(self) -> list[int]:
        return list(map(int, (self.folder / "users").read_text().split()))


@pytest.fixture
def controller() -> t.Iterator[Controller]:
    """In a folder that nobody may enter: each pytest closes the folder above its own ones again."""
    with tempfile.TemporaryDirectory() as folder:
        yield Controller(Path(folder))


def test_two_nodes_that_are_well(controller: Controller) -> None:
    told = controller.measured()
    assert (told["verdict"], told["carried_by"], told["gpu_direct"], told["bandwidth"], told["floor"]) == (
        "passed",
        "EFA",
        True,
        466.0,
        302.9,
    )
    assert told["reference"]["bandwidth"] == 466.0 and told["nodes"] == ["ip-10-1-2-3", "ip-10-1-2-4"] and controller.findings == []
    assert told["rows"][-1] == {"bytes": 4 * 1024**3, "bandwidth": 466.0} and len(told["rows"]) == 5
    (started,) = controller.started()
    assert {"--nodelist=ip-10-1-2-3,ip-10-1-2-4", "--exclusive", "--time=10", "--ntasks-per-node=8"} <= {*started}


def test_the_test_runs_without_rights(controller: Controller) -> None:
    assert controller.measured()["verdict"] == "passed" and controller.users() == [pwd.getpwnam("nobody").pw_uid]


def test_where_slurm_refuses_the_account_it_runs_as_root(controller: Controller) -> None:
    line = "srun: error: Unable to allocate resources: Invalid account or account/partition combination specified"
    controller.says(1, **{"srun.first": f"{line}\n"})
    told = controller.measured()
    assert told["verdict"] == "passed" and controller.users() == [pwd.getpwnam("nobody").pw_uid, 0]
    assert told["evidence"][0] == f"The test ran as root, because Slurm refuses account nobody: {line}"
    controller.says(1, **{"srun.first": "srun: error: Unable to allocate resources: Requested nodes are busy\n"})
    assert controller.measured()["failure"] == "allocation" and len(controller.users()) == 1


def test_it_goes_by_the_partitions_that_the_nodes_share(controller: Controller) -> None:
    shown = "".join(f"NodeName=ip-10-1-2-{number}\n   Partitions={names}\n" for number, names in ((3, "dev,a"), (4, "a")))
    controller.says(scontrol=shown)
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
    controller.says(squeue="4711|alice|RUNNING|ip-10-1-2-[3-4]\n")
    told = controller.measured()
    assert (told["verdict"], told["failure"]) == ("not_run", "jobs") and controller.started() == []
    assert told["text"] == "There are jobs on the nodes: 4711 of alice on ip-10-1-2-3,ip-10-1-2-4."
    (finding,) = controller.findings
    assert (finding["kind"], finding["code"], finding["subject"]) == ("pending", "nccl-not-run", "ip-10-1-2-3, ip-10-1-2-4")
    assert controller.measured(beside_jobs=True)["verdict"] == "passed" and "--oversubscribe" in controller.started()[0]


def test_the_test_before_may_still_be_ending(controller: Controller) -> None:
    controller.says(**{"sinfo.first": IDLE.replace("|idle|", "|completing|"), "squeue.first": "9|root|COMPLETING|ip-10-1-2-3\n"})
    assert controller.measured()["verdict"] == "passed" and (controller.folder / "sinfo.was").exists()
    controller.says(sinfo=IDLE.replace("|idle|", "|completing|"))
    told = controller.measured(queue_timeout=1)
    assert told["text"] == "Nodes are not idle in Slurm: ip-10-1-2-3 is completing."
    controller.says(**{"squeue.first": "9|alice|RUNNING|ip-10-1-2-3\n"})
    assert controller.measured(queue_timeout=3600)["failure"] == "jobs", "a job that runs is not waited for"


@pytest.mark.parametrize(
    ("addresses", "said"),
    [
        (["10.1.2.3", "10.1.2.5"], "Nodes are not idle in Slurm: ip-10-1-2-5 is mixed."),
        (["10.1.2.3", "10.9.9.9"], "Slurm has no node at 10.9.9.9."),
    ],
)
def test_nodes_that_slurm_does_not_give(controller: Controller, addresses: list[str], said: str) -> None:
    told = controller.measured(addresses=addresses)
    assert (told["verdict"], told["failure"], told["text"]) == ("not_run", "allocation", said) and controller.started() == []


def test_slow_and_without_efa_are_told_and_fail_nothing(controller: Controller) -> None:
    for test, verdict, code in (
        (AllReduce(bandwidth=100.0), "slow", "nccl-slow"),
        (AllReduce(network="Socket", provider="", bandwidth=9.5), "failed", "nccl-no-efa"),
        (AllReduce(wrong="1"), "failed", "nccl-failed"),
    ):
        controller.says(srun=test.text())
        told = controller.measured()
        (finding,) = controller.findings
        assert (told["verdict"], finding["code"], finding["kind"], finding["severity"]) == (verdict, code, "note", "warning")


def test_its_own_failure_is_named(controller: Controller) -> None:
    controller.says(1, srun="0: mlfleet.hyperpod: no program all_reduce_perf, and no PyTorch\n")
    told = controller.measured()
    assert (told["verdict"], told["failure"]) == ("not_run", "image") and told["bandwidth"] is None
    assert told["evidence"][0] == "mlfleet.hyperpod: no program all_reduce_perf, and no PyTorch"


def test_what_nodes_write_is_shown_as_one_short_line(controller: Controller) -> None:
    rude = b"\x1b[2J\xe2\x80\xaeerror: out of memory \xff" + b"x" * 5000 + b"\n"
    controller.says(1, srun=rude * 2000)
    controller.says(sinfo="ip-10-1-2-3|10.1.2.3|idle|none\nip\x1b[1m|10.1.2.4|idle|none\n")
    told = controller.measured()
    assert (told["verdict"], told["failure"]) == ("not_run", "memory") and len(told["evidence"]) <= 12
    assert all(each.isprintable() and len(each) <= 301 for each in [told["text"], *told["evidence"], *told["nodes"]])


def test_without_slurm_the_module_fails_in_a_sentence(node: BareNode) -> None:
    result = node.run(MODULE, **TWO)
    assert result["failed"] and result["msg"] == "sinfo is not installed on this node."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"addresses": []}, "addresses: empty"),
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
def test_what_is_refused(controller: Controller, options: dict[str, t.Any], said: str) -> None:
    result = controller.run(MODULE, **options)
    assert result["failed"] and result["msg"].startswith(said) and controller.started() == [], result
