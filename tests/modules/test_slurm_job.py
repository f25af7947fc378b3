# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_job and slurm_job_info on a controller with one fake Slurm program; tests/integration/test_submit_slurm_job.py has a real one."""

from __future__ import annotations

import json
import os
import tempfile
import typing as t
from pathlib import Path

import pytest
from simulated.bare_node import ETC, BareNode, answer
from simulated.shape import changes_once, reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")
SLURM = """\
#!/usr/bin/env python3
import json, os, pathlib, re, sys
folder, name, words = pathlib.Path(__file__).parents[1], pathlib.Path(__file__).name, sys.argv[1:]
given = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
path = folder / "slurm.json"
slurm = json.loads(path.read_text())
jobs = slurm["jobs"]
def selected():
    ids = given["jobs"].split(",") if "jobs" in given else None
    same = [j for j in jobs if str(j["uid"]) == given.get("user", str(j["uid"])) and j["name"] == given.get("name", j["name"])]
    return [j for j in same if ids is None or str(j["id"]) in ids]
if name == "sbatch":
    if slurm.get("refuses"):
        sys.exit(slurm["refuses"])
    switches, _at, wait = given.get("switches", "0").partition("@")
    minutes, _colon, seconds = wait.partition(":")
    cap = int((re.search("max_switch_wait=([0-9]+)", slurm["config"]) or [0, 300])[1])
    jobs.append({"id": 100 + len(jobs), "uid": os.getuid(), "name": given["job-name"], "state": "PENDING", "partition": given.get("partition", "dev"),
        "nodes": "", "size": given["nodes"], "reason": "Priority", "comment": given["comment"], "switches": int(switches), "environment": dict(os.environ),
        "wait": min(cap, int(minutes) * 60 + int(seconds)) if wait else cap, "script": sys.stdin.read(), "words": words, "groups": os.getgroups()})
    print(jobs[-1]["id"])
elif name == "scancel":
    for job in jobs:
        if str(job["id"]) in words:
            job["state"] = "CANCELLED"
elif name == "squeue" and slurm.get("silent"):
    sys.exit("slurm_load_jobs error: Unable to contact slurm controller")
elif name == "squeue" and "ReqSwitch" in given.get("Format", ""):
    for j in selected():
        wait = j["wait"]
        print(f"{j['id']:<20}{j['switches']:<20}{wait // 86400}-{wait // 3600 % 24:02}:{wait // 60 % 60:02}:{wait % 60:02}")
elif name == "squeue":
    live = ("PENDING", "RUNNING", "CONFIGURING")
    fields = {"%A|%k": "{id}|{comment}", "%A|%j": "{id}|{name}"}.get(given["format"], "{id}|{uid}|{state}|{partition}|{size}|{nodes}|{reason}")
    for j in selected():
        if not j.get("forgotten") and (given.get("states") == "all" or j["state"] in live):
            print(fields.format(**j))
elif name == "sacct":
    if not slurm.get("accounting"):
        sys.exit("Slurm accounting storage is disabled")
    for j in jobs:
        if str(j["uid"]) == given["uid"] and j["name"] == given["name"]:
            print(f"{j['id']}|{j['state']}|{j['partition']}|{j['nodes']}||sbatch {' '.join(j.get('words', []))}")
elif words[:2] == ["show", "topology"]:
    print(slurm["topology"])
elif words[:2] == ["show", "config"]:
    print(slurm["config"])
elif words[:2] == ["write", "batch_script"]:
    print(next(j["script"] for j in jobs if str(j["id"]) == words[2]), end="")
path.write_text(json.dumps(slurm))
"""
FIRST = """
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
system.SEARCH_PATH = {path!r}
"""
CONFIG = "SchedulerParameters     = {parameters}\nTopologyPlugin          = {plugin}\n"
SWITCHES = "SwitchName=top Level=1 LinkSpeed=1 Nodes=a,b Switches=l[1-2]\nSwitchName=l1 Level=0 LinkSpeed=1 Nodes=a\nSwitchName=l2 Level=0 LinkSpeed=1 Nodes=b"
SCRIPT = "#!/bin/bash\nsrun hostname\n"
WANTED: dict[str, t.Any] = {"name": "llama", "user": "alice", "script": SCRIPT, "nodes": 2, "placement": "required"}


class Controller(BareNode):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (self.etc / "passwd").write_text(ETC["passwd"] + "alice:x:20001:20001::/fsx/alice:/bin/bash\nbob:x:20002:20002::/fsx/bob:/bin/sh\n")
        (self.etc / "group").write_text(ETC["group"] + "alice:x:20001:\nbob:x:20002:\nteam:x:30001:alice\n")
        (folder / "bin").mkdir()
        for name in ("sbatch", "scancel", "squeue", "sacct", "scontrol"):
            (folder / "bin" / name).write_text(SLURM)
            (folder / "bin" / name).chmod(0o755)
        self.set(jobs=[], topology=SWITCHES, config=CONFIG.format(parameters="max_switch_wait=604800", plugin="topology/tree"))

    @property
    def slurm(self) -> dict[str, t.Any]:
        found: dict[str, t.Any] = json.loads((self.folder / "slurm.json").read_text())
        return found

    def set(self, **values: t.Any) -> None:
        path = self.folder / "slurm.json"
        path.write_text(json.dumps({**(self.slurm if path.exists() else {}), **values}))
        path.chmod(0o666)

    def job(self, **values: t.Any) -> None:
        """Change the last job."""
        jobs = self.slurm["jobs"]
        self.set(jobs=[*jobs[:-1], {**jobs[-1], **values}])

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        self._before = self.files()
        first = FIRST.format(path=f"{self.folder}/bin:/usr/bin:/bin")
        return answer(self.etc, module, {**options, "_ansible_check_mode": check, "_ansible_diff": True}, first=first)

    def submit(self, **options: t.Any) -> dict[str, t.Any]:
        return self.run("slurm_job", **{**WANTED, **options})


@pytest.fixture
def controller() -> t.Iterator[Controller]:
    """In a folder that alice can enter; pytest's own folders belong to root again when another pytest starts."""
    with tempfile.TemporaryDirectory(prefix="controller-") as folder:
        yield Controller(Path(folder))


def other(**values: t.Any) -> dict[str, t.Any]:
    """A job that another client submitted."""
    job = {"id": 7, "uid": 20001, "name": "llama", "state": "RUNNING", "partition": "dev", "nodes": "a", "reason": "None", "comment": ""}
    return {**job, "size": 1, "switches": 0, "wait": 0, "script": "", **values}


def test_a_job_is_submitted_once_and_cancelled_once(controller: Controller) -> None:
    made = changes_once(controller, "slurm_job", unforeseen=["job.id", "job.partition", "job.why"], **WANTED)
    assert (made["job"]["state"], made["job"]["switches"], made["job"]["switches_wait"], made["job"]["id"]) == ("waiting", 1, 604800, 100)
    assert "jobs of higher priority are before it" in made["job"]["why"] and "warnings" not in made
    assert made["diff"]["after"].startswith("job llama of alice = {'nodes': 2") and "srun" not in made["diff"]["after"]
    cancelled = changes_once(controller, "slurm_job", state="absent", name="llama", user="alice")
    assert cancelled["job"]["state"] == "absent" and cancelled["changes"][0]["resource"] == "job llama of alice (100)"
    assert controller.submit()["changed"], "a cancelled job is submitted again"
    assert len(controller.slurm["jobs"]) == 2


def test_the_job_belongs_to_the_user(controller: Controller) -> None:
    controller.submit(partition="p5", working_directory="/fsx/work")
    (job,) = controller.slurm["jobs"]
    assert (job["uid"], job["groups"], job["script"]) == (20001, [20001, 30001], SCRIPT)
    expected = {"HOME": "/fsx/alice", "USER": "alice", "LOGNAME": "alice", "SHELL": "/bin/bash"}
    assert {name: job["environment"].get(name) for name in expected} == expected and "LC_ALL" not in job["environment"]
    assert [word for word in job["words"] if "comment" not in word] == [
        *("--parsable", "--job-name=llama", "--nodes=2", "--partition=p5", "--chdir=/fsx/work", "--switches=1@10080:00")
    ]
    assert not any("srun" in word for word in job["words"])


def test_a_job_of_root_on_request(controller: Controller) -> None:
    controller.submit(user="root", placement="none")
    (job,) = controller.slurm["jobs"]
    assert job["uid"] == 0 and not any("switches" in word for word in job["words"])


@pytest.mark.slow
@pytest.mark.parametrize("accounting", [False, True])
def test_a_finished_job_is_not_submitted_again(controller: Controller, accounting: bool) -> None:
    controller.submit()
    controller.set(accounting=accounting)
    controller.job(state="COMPLETED", nodes="ip-10-1-2-[3-4]", forgotten=accounting)
    second = reads(controller, "slurm_job", **WANTED)
    assert (second["job"]["state"], second["job"]["nodes"]) == ("succeeded", ["ip-10-1-2-3", "ip-10-1-2-4"]) and second["job"]["ours"]
    assert second["job"]["placement"] == "required"
    refused = controller.submit(nodes=4)
    assert "(100), which has ended, is not allowed: it was submitted with a different script or with different options." in refused["msg"], refused
    controller.job(state="FAILED", reason="NonZeroExitCode")
    failed = reads(controller, "slurm_job", **WANTED)
    assert failed["job"]["state"] == "failed" and "its script ended with an error" in failed["job"]["why"]
    replaced = controller.submit(nodes=4, replace=True)
    assert [each["action"] for each in replaced["changes"]] == ["create"] and len(controller.slurm["jobs"]) == 2


@pytest.mark.slow
def test_another_script_is_refused_with_its_difference_without_replace(controller: Controller) -> None:
    controller.submit(partition="dev")
    for given, message in (
        ({"script": SCRIPT + "wait\n"}, "its script differs from line 3 on"),
        ({"placement": "preferred"}, "placement is required and would be preferred"),
        ({"switches": 2, "partition": "p5"}, "partition is dev and would be p5, switches is 1 and would be 2"),
        ({"nodes": 3}, "nodes is 2 and would be 3"),
        ({"working_directory": "/"}, "it was submitted with a different script or with different options"),
    ):
        refused = controller.submit(**{"partition": "dev", **given})
        assert refused["failed"] and message in refused["msg"] and "or replace=true" in refused["msg"], refused
    assert len(controller.slurm["jobs"]) == 1
    done = controller.submit(partition="dev", nodes=3, replace=True)
    assert [each["action"] for each in done["changes"]] == ["delete", "create"] and done["job"]["id"] == 101, done
    assert [job["state"] for job in controller.slurm["jobs"]] == ["CANCELLED", "PENDING"]
    reads(controller, "slurm_job", **{**WANTED, "partition": "dev", "nodes": 3})


@pytest.mark.slow
def test_a_foreign_job_is_left_alone(controller: Controller) -> None:
    controller.set(jobs=[other()])
    for options in ({}, {"replace": True}, {"force": True}, {"state": "absent", "replace": True}):
        refused = controller.submit(**options)
        assert "job llama of alice already exists (7), and this module did not submit it." in refused["msg"], refused
    assert controller.slurm["jobs"][0]["state"] == "RUNNING"
    forced = controller.submit(replace=True, force=True)
    assert [each["action"] for each in forced["changes"]] == ["delete", "create"], forced


@pytest.mark.slow
def test_jobs_of_another_name_or_user_are_different_jobs(controller: Controller) -> None:
    comment = f"mlfleet.hyperpod:required:{'a' * 32}"
    controller.set(jobs=[other(uid=20002, comment=comment), other(id=8, name="llama2"), other(id=9, state="COMPLETED", comment="x\n100|" + comment)])
    done = controller.submit()
    assert done["changed"] and controller.slurm["jobs"][-1]["uid"] == 20001, done
    assert controller.run("slurm_job", name="llama", user="alice", state="query")["job"]["id"] == 103


def test_placements_that_slurm_would_ignore(controller: Controller) -> None:
    flat = CONFIG.format(parameters="(null)", plugin="topology/flat")
    controller.set(topology="", config=flat)
    refused = controller.submit(leaves=2)
    message = "placement: 'required' is not allowed: Slurm has no tree of switches (TopologyPlugin=topology/flat), and ignores --switches"
    assert message in refused["msg"] and "although the cluster's nodes are below 2 leaf switches" in refused["msg"], refused
    assert controller.run("slurm_job", check=True, **WANTED, leaves=2)["failed"] and controller.slurm["jobs"] == []
    assert "warnings" not in controller.submit(leaves=1)
    (warning,) = map(str, controller.submit(name="wide", leaves=2, placement="preferred")["warnings"])
    assert "the placement of job wide of alice is arbitrary" in warning
    (warning,) = map(str, controller.submit(name="unknown")["warnings"])
    assert "The number of leaf switches above the cluster's nodes is also unknown" in warning
    controller.set(topology="BlockName=b1 BlockIndex=0 Nodes=a,b BlockSize=2")
    assert "Slurm has a block topology" in controller.submit(name="block", leaves=2)["msg"]


@pytest.mark.parametrize(
    ("parameters", "options", "warning"),
    [
        ("bf_interval=30", {}, "after 300 s instead of 604800 s"),
        ("max_switch_wait=600,bf_interval=30", {"placement": "preferred", "switches_wait": 900}, "after 600 s instead of 900 s"),
        ("max_switch_wait=900", {"switches_wait": 900}, ""),
        ("(null)", {"placement": "preferred"}, ""),
    ],
)
def test_a_wait_that_slurm_limits_is_a_warning(controller: Controller, parameters: str, options: dict[str, t.Any], warning: str) -> None:
    controller.set(config=CONFIG.format(parameters=parameters, plugin="topology/tree"))
    foreseen = controller.run("slurm_job", check=True, **{**WANTED, **options})
    warnings = list(map(str, foreseen.get("warnings", [])))
    assert bool(warnings) is bool(warning) and all(warning in each and "max_switch_wait=" in each for each in warnings), foreseen
    if warning:
        assert foreseen["job"]["switches_wait"] == int(warning.split()[1])


def test_errors_of_slurm_are_reported(controller: Controller) -> None:
    controller.set(refuses="sbatch: error: Batch job submission failed: Requested topology configuration is not available")
    refused = controller.submit()
    assert refused["msg"].startswith("job llama of alice was not submitted: sbatch --parsable"), refused
    assert refused["msg"].endswith("Requested topology configuration is not available") and "srun" not in refused["msg"]
    controller.set(silent=True)
    assert "Unable to contact slurm controller" in controller.submit()["msg"]


def test_without_slurm_the_module_fails_with_a_message(node: BareNode) -> None:
    result = node.run("slurm_job", **{**WANTED, "user": "nobody"})
    assert result["failed"] and result["msg"] == "squeue is not installed on this node." and node.changes() == []


WRONG = [
    ({"name": "a b"}, "name: 'a b' is not allowed."),
    ({"name": "a,b"}, "name: 'a,b' is not allowed."),
    ({"name": "-x"}, "name: '-x' is not allowed."),
    ({"user": "carol"}, "user: 'carol' is not allowed: this node has no such account."),
    ({"user": "a;b"}, "user: 'a;b' is not allowed."),
    ({"script": ""}, "script: missing"),
    ({"script": "hostname"}, "script: it does not begin with #!"),
    ({"script": "#!/bin/sh\r\nhostname\r\n"}, "script: it has null bytes, or DOS"),
    ({"script": "#!/bin/sh\n#SBATCH --array=1-4\n"}, "script: '#SBATCH --array' is not allowed: line 2 requests several jobs."),
    ({"script": "#!/bin/sh\n#SBATCH -N 2 -a 1-4\n"}, "script: '#SBATCH -a' is not allowed: line 2 requests several jobs."),
    ({"script": "#!/bin/sh\n#SBATCH hetjob\n"}, "script: '#SBATCH hetjob' is not allowed: line 2 requests several jobs."),
    ({"nodes": 0}, "nodes: 0 is not allowed."),
    ({"switches": 0}, "switches: 0 is not allowed."),
    ({"switches_wait": 0}, "switches_wait: 0 is not allowed."),
    ({"switches_wait": 604801}, "switches_wait: 604801 is not allowed."),
    ({"placement": "none", "switches_wait": 5}, "switches_wait: 5 is not allowed. Allowed: no value with placement=none."),
    ({"partition": "a b"}, "partition: 'a b' is not allowed."),
    ({"working_directory": "work"}, "working_directory: 'work' is not allowed."),
    ({"working_directory": "/fsx/%j"}, "working_directory: '/fsx/%j' is not allowed."),
    ({"leaves": -1}, "leaves: -1 is not allowed."),
    ({"wait_timeout": -1}, "wait_timeout: -1 is not allowed."),
    ({"poll_interval": 0}, "poll_interval: 0 is not allowed."),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_bad_input_is_refused_with_a_message(controller: Controller, options: dict[str, t.Any], message: str) -> None:
    refused = controller.submit(**options)
    assert refused["failed"] and message in refused["msg"] and "exception" not in refused, refused
    assert controller.changes() == []
