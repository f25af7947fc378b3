# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts of reconcile over clusters without machines: one call is one step, and clusters wait for their wave."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import shutil
import signal
import subprocess
import time
import typing as t
from pathlib import Path

import pytest
from simulated import REGION, simulated_aws
from simulated.controller import started
from simulated.quiet import Fleet, Run

NAMES = ("canary", "ml", "other")
RECORD = "/mlfleet/hyperpod/rollouts/keys"
PLACES = {
    "the lock is taken": {"Name": f"{RECORD}/lock/1", "Overwrite": False},
    "the first wave is planned": {"Name": f"{RECORD}/waves/1", "Overwrite": False},
    "the second wave is planned": {"Name": f"{RECORD}/waves/2", "Overwrite": False},
    "the plan is recorded": {"Name": f"{RECORD}/head", "Overwrite": False},
    "the result is recorded": {"Name": f"{RECORD}/waves/1", "Overwrite": True},
}
WAVES = [{"clusters": ["canary"]}, {"approval": True}]


@contextlib.contextmanager
def made(folder: Path) -> t.Iterator[Fleet]:
    with simulated_aws(folder) as aws:
        fleet = Fleet(folder, aws, *NAMES)
        fleet.declare(login_balancer_port=22, rollout_home_region=REGION, rollout_waves=WAVES)
        fleet.record()
        yield fleet


@pytest.fixture
def fleet(tmp_path: Path) -> t.Iterator[Fleet]:
    with made(tmp_path) as fleet:
        yield fleet


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Fleet]:
    with made(tmp_path_factory.mktemp("untouched")) as fleet:
        yield fleet


def step(fleet: Fleet, *arguments: str, **variables: t.Any) -> Run:
    given = json.dumps({"rollout": "keys", "rollout_verb": "reconcile", **variables})
    return fleet.reconcile("mlfleet.hyperpod.rollout", "-e", given, *arguments)


def timer(fleet: Fleet, *clusters: str) -> Run:
    return fleet.reconcile("mlfleet.hyperpod.reconcile", "-e", f"hyperpod_only={','.join(clusters)}")


def outcomes(fleet: Fleet) -> dict[str, str]:
    ssm, found = fleet.aws.client("ssm"), {}
    for wave in (1, 2):
        text = ssm.get_parameter(Name=f"{RECORD}/waves/{wave}")["Parameter"]["Value"]
        found |= {key: outcome for key, (_settings, outcome) in json.loads(text)["members"].items()}
    return found


def wait_for_outcomes(fleet: Fleet, **expected: str) -> None:
    """For a moment, Parameter Store returns values from before a write."""
    deadline = time.monotonic() + 30
    while outcomes(fleet) != expected:
        assert time.monotonic() < deadline, outcomes(fleet)
        time.sleep(0.2)


def plan_of(run: Run) -> str:
    return line(run).rpartition("rollout_confirm=")[2].partition(".")[0]


def line(run: Run) -> str:
    """The last line about the rollout."""
    return [each for each in run.output.split("\n") if each.startswith("Rollout keys: ")][-1]


def test_a_rollout_from_its_first_wave_to_its_end(fleet: Fleet) -> None:
    first = step(fleet)
    assert first.rc == 10, first.output
    assert line(first).startswith("Rollout keys: wave 1: canary done. Wave 2 waits: it needs an approval.")
    assert "[ml-i-" not in first.output and "PLAY [Get changes in AWS" in first.output

    waits = step(fleet)
    assert waits.rc == 10 and waits.changes == [], waits.output
    refused = step(fleet, rollout_action="approve", rollout_confirm="0123")
    assert refused.rc == 2 and refused.changes == [] and "it must be the hash of the current plan" in refused.output

    second = step(fleet, rollout_action="approve", rollout_confirm=plan_of(waits))
    assert second.rc == 0, second.output
    assert line(second) == "Rollout keys: wave 2: ml done, other done. All 2 waves have ended."
    approved = json.loads(fleet.aws.client("ssm").get_parameter(Name=f"{RECORD}/head")["Parameter"]["Value"])["approvals"]["2"]
    assert approved["plan"] == plan_of(waits) and approved["by"] and approved["at"]

    done = step(fleet)
    assert done.rc == 0 and done.changes == [] and line(done) == "Rollout keys: All 2 waves have ended.", done.output


def test_check_mode_shows_the_step_and_records_nothing(untouched: Fleet) -> None:
    run = step(untouched, "--check", "--diff")
    assert run.rc == 10 and run.changes == [], run.output
    assert line(run) == "Rollout keys: Wave 1 of 2: reconcile runs for canary."
    assert "+rollout keys: plan" in run.output and "hold" in run.output, run.output


@pytest.mark.slow
def test_the_timer_does_not_apply_new_settings_before_the_rollout_reaches_a_cluster(fleet: Fleet) -> None:
    assert step(fleet).rc == 10
    fleet.declare(login_balancer_allowed_cidrs=["10.0.0.0/8"])
    for _again in range(2):
        held = timer(fleet, "ml", "other")
        assert held.changes == [] and held.rc == 0, held.output
        assert {each["status"] for each in held.report["clusters"].values()} == {"degraded"}
        codes = [each["code"] for each in held.report["clusters"]["ml"]["findings"]]
        assert codes == ["rollout-not-reached"], held.output
        assert "waits for wave 2 of rollout keys" in held.output and "New nodes stay out of service" in held.output
    stopped = step(fleet)
    assert stopped.rc == 2 and stopped.changes == [] and "Changed since the rollout began: the settings of canary, ml, other." in line(stopped)

    fleet.declare(login_balancer_allowed_cidrs=None)
    same = timer(fleet, "ml", "other")
    assert {each["status"] for each in same.report["clusters"].values()} == {"unchanged"}, same.output

    aborted = step(fleet, rollout_action="abort")
    assert aborted.rc == 2 and [each["operation"] for each in aborted.changes].count("DeleteParameter") == 2, aborted.output
    fleet.declare(login_balancer_port=0)  # the run fails before it changes anything, and shows that it does not wait
    freed = timer(fleet, "ml")
    assert "rollout-not-reached" not in json.dumps(freed.report) and freed.report["clusters"]["ml"]["status"] == "failed", freed.output


def test_a_wave_in_which_every_cluster_fails_is_recorded_and_stops_the_rollout(fleet: Fleet) -> None:
    """After a play in which all hosts failed, ansible-playbook runs no further play."""
    fleet.declare("cluster_canary", login_balancer_port=0)
    failed = step(fleet)
    assert failed.rc == 2, failed.output
    assert line(failed).startswith("Rollout keys: wave 1: canary failed. More clusters are failed or degraded (1) than rollout_failures allows (0): canary.")
    wait_for_outcomes(fleet, canary="failed", ml="pending", other="pending")

    fleet.declare("cluster_canary", login_balancer_port=22)
    changed = step(fleet)
    assert changed.rc == 2 and "the settings of canary" in line(changed), changed.output
    accepted = step(fleet, rollout_action="accept", rollout_confirm=plan_of(changed))
    assert accepted.rc == 2 and "More clusters are failed" in line(accepted), accepted.output


def test_a_wave_for_which_the_playbook_has_nothing_to_do_is_done(fleet: Fleet) -> None:
    """Its variables are for clusters of other waves."""
    fleet.declare("cluster_ml", client_vpn_client_cidr="172.20.0.0/20")
    undeclared = step(fleet, rollout_verb="client_vpn")
    assert undeclared.rc == 10 and line(undeclared).startswith("Rollout keys: wave 1: canary done. Wave 2 waits:"), undeclared.output
    assert "canary was skipped because client_vpn_client_cidr is not set." in undeclared.output


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"rollout_verb": "drain"}, "rollout_verb: 'drain' is not allowed"),
        ({"rollout_verb": None}, "rollout_verb: "),
        ({"hyperpod_only": "ml"}, "hyperpod_only: 'ml' is not allowed: a rollout has all clusters of the inventory"),
        ({"rollout_verb": "rotate_host_keys", "rotation": "emergency"}, "rotation: 'emergency' is not allowed: a wave that was interrupted"),
        ({"rollout_verb": "replace_nodes"}, "replace_nodes: missing. Allowed: instance IDs or hosts of nodes"),
        ({"rollout_verb": "replace_nodes", "replace_nodes": "i-0"}, "the playbook replace_nodes supports has node i-0. A rollout begins only if"),
        ({"rollout": "No Name"}, "rollout: 'No Name' is not allowed. Allowed: 1 to 40 lowercase letters"),
        ({"rollout_waves": [{"clusters": ["none"]}, {}]}, "rollout_waves: 'none' is not allowed. Allowed: keys of clusters"),
        ({"rollout_freezes": [{"day": "fryday", "time": "17:00", "hours": 1}]}, "rollout_freezes: 'fryday' is not allowed"),
    ],
)
def test_wrong_input_is_refused_before_any_change(untouched: Fleet, variables: dict[str, t.Any], words: str) -> None:
    run = step(untouched, **variables)
    assert run.rc != 0 and run.changes == [], run.output
    assert words in " ".join(run.output.split()), run.output


def begun(fleet: Fleet, log: Path, **variables: t.Any) -> subprocess.Popen[str]:
    """A call that goes on in the background."""
    given = json.dumps({"rollout": "keys", "rollout_verb": "reconcile", **variables})
    place = {"HYPERPOD_STATE_DIR": str(fleet.state), "AWS_ENDPOINT_URL": fleet.aws.url}
    arguments = ("-i", str(fleet.inventory), "mlfleet.hyperpod.rollout", "-e", given)
    return started("playbook", *arguments, home=fleet.home, temporary=fleet.folder / "tmp", log=log, **place)


def test_only_one_call_at_a_time_takes_a_step(fleet: Fleet) -> None:
    """The first call hangs when it has recorded the plan, the second one reports it."""
    fleet.aws.fault(kind="hold", operation="PutParameter", where=PLACES["the plan is recorded"])
    log = fleet.folder / "first.log"
    first = begun(fleet, log)
    try:
        deadline = time.monotonic() + 60
        while not fleet.aws.control("held"):
            assert first.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        second = step(fleet)
        assert second.rc == 10 and second.changes == [], second.output
        assert line(second).startswith("Rollout keys: Another call holds the lock: "), second.output
    finally:
        fleet.aws.clear_faults()
        first.wait(60)
    assert first.returncode == 10, log.read_text()
    wait_for_outcomes(fleet, canary="done", ml="pending", other="pending")


@pytest.mark.slow
def test_a_call_may_wait_until_another_call_has_ended(fleet: Fleet) -> None:
    """Both have waves without an approval, so the second call runs the second wave."""
    waves = [{"clusters": ["canary"]}, {}]
    fleet.aws.fault(kind="hold", operation="PutParameter", where=PLACES["the plan is recorded"])
    logs = [fleet.folder / f"{number}.log" for number in (1, 2)]
    calls = [begun(fleet, logs[0], rollout_waves=waves)]
    try:
        _until(lambda: bool(fleet.aws.control("held")), logs[0])
        calls.append(begun(fleet, logs[1], rollout_waves=waves, rollout_wait_minutes=5))
        _until(lambda: "waiting: rollout keys is locked (Another call holds the lock: " in logs[1].read_text(), logs[1])
    finally:
        fleet.aws.clear_faults()
        ended = [each.wait(120) for each in calls]
    assert ended == [10, 0], logs[1].read_text()
    assert "Rollout keys: wave 2: ml done, other done. All 2 waves have ended." in logs[1].read_text()


@pytest.mark.slow
def test_no_wave_runs_twice_although_reads_lag(fleet: Fleet) -> None:
    """The first read of a parameter after a write returns the value from before."""
    fleet.aws.control("settings", {"parameter_lag_seconds": 300})
    waves = [{"clusters": ["canary"]}, {"clusters": ["ml"]}, {}]
    for number, clusters in enumerate(("canary", "ml", "other"), 1):
        run = step(fleet, rollout_waves=waves)
        assert f"Rollout keys: wave {number}: {clusters} done." in line(run), run.output
    assert run.rc == 0, run.output


@pytest.mark.parametrize("lag", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_a_call_directly_after_a_wave_does_not_run_it_again(fleet: Fleet, lag: int) -> None:
    """Each read of the first wave returns the value without its result, until the lag ends. A call waits 30 seconds for this."""
    fleet.aws.fault(kind="hold", operation="PutParameter", where=PLACES["the plan is recorded"])
    log, waves = fleet.folder / "first.log", [{"clusters": ["canary"]}, {"clusters": ["ml"]}, {}]
    first = begun(fleet, log, rollout_waves=waves)
    try:
        _until(lambda: bool(fleet.aws.control("held")), log)
        fleet.aws.control("settings", {"parameter_lags": {f"{RECORD}/waves/1": lag}})
    finally:
        fleet.aws.clear_faults()
        first.wait(120)
    shown = log.read_text()
    assert first.returncode == 10 and "Rollout keys: wave 1: canary done. Call again to go on with wave 2." in shown, shown
    assert ("still return older values after 30 s" in shown) is (lag > 30), shown
    if lag < 30:
        second = step(fleet, rollout_waves=waves)
        assert line(second).startswith("Rollout keys: wave 2: ml done."), second.output


@pytest.mark.slow
def test_the_result_of_a_wave_has_the_time_of_aws(fleet: Fleet) -> None:
    """The clock of AWS is three hours ahead, and the soak time ends one hour after the wave by this clock."""
    waves = [{"clusters": ["canary"]}, {"clusters": ["ml"], "soak_minutes": 60}, {}]

    def shifted(hours: int | None) -> Run:
        fleet.aws.control("settings", {"date_shift_seconds": None if hours is None else hours * 3600})
        return step(fleet, rollout_waves=waves)

    first = line(shifted(None))
    assert first.startswith("Rollout keys: wave 1: canary done.") and first.endswith("so times are those of the control node's clock.")
    second = line(shifted(3))
    assert "wave 2: ml done. Wave 3 waits: wave 2 must soak for 60 minutes" in second and "control node" not in second
    early = shifted(2)
    assert early.rc == 10 and early.changes == [] and "Wave 3 waits: wave 2 must soak" in line(early), early.output
    assert shifted(5).rc == 0


@pytest.mark.slow
def test_a_cluster_that_cannot_be_read_does_not_prevent_an_abort(fleet: Fleet) -> None:
    arn = fleet.aws.client("sagemaker").describe_cluster(ClusterName="other")["ClusterArn"]
    where = {"Path": f"/mlfleet/hyperpod/{arn.rpartition('/')[2]}/records"}
    denied = {"kind": "error", "operation": "GetParametersByPath", "code": "AccessDeniedException", "times": 1000, "where": where}
    fleet.aws.fault(**denied)
    refused = step(fleet)
    assert refused.rc == 2 and refused.changes == [] and "A rollout begins only if" in refused.output, refused.output
    fleet.aws.clear_faults()
    begun_at = step(fleet)
    assert begun_at.rc == 10, begun_at.output
    fleet.aws.fault(**denied)
    waits = step(fleet, rollout_action="approve", rollout_confirm=plan_of(begun_at))
    assert waits.rc == 10 and "Wave 2 waits: Could not read the records of other (GetParametersByPath" in line(waits), waits.output
    aborted = step(fleet, rollout_action="abort")
    assert aborted.rc == 2 and "The rollout was aborted at " in line(aborted), aborted.output
    assert "Could not read the records of other (" in line(aborted) and "They may wait until " in line(aborted)
    left = [each["Name"] for each in fleet.aws.client("ssm").describe_parameters()["Parameters"] if each["Name"].endswith("/rollout/hold")]
    assert len(left) == 1 and arn.rpartition("/")[2] in left[0], left
    fleet.aws.clear_faults()
    assert step(fleet, rollout_action="abort").rc == 2
    left = [each["Name"] for each in fleet.aws.client("ssm").describe_parameters()["Parameters"] if each["Name"].endswith("/rollout/hold")]
    assert left == []


def _until(is_true: t.Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + 90
    while not is_true():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


@pytest.mark.slow
def test_a_call_that_plans_a_rollout_does_not_wait_before_the_clusters_have_their_holds(fleet: Fleet) -> None:
    """A later call waits. Without a time limit of the run, this one would wait for the end of the freeze."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    freezes = [{"day": today, "time": "00:00", "hours": 72}]
    planned = step(fleet, rollout_freezes=freezes, rollout_wait_minutes=600)
    assert planned.rc == 10 and "Wave 1 waits: it could run into the freeze" in line(planned), planned.output
    held = timer(fleet, "canary", "ml", "other")
    assert held.rc == 0 and held.changes == [], held.output
    records = [each["Name"] for each in fleet.aws.client("ssm").describe_parameters()["Parameters"] if each["Name"].endswith("/rollout/hold")]
    assert len(records) == len(NAMES)


PLAYBOOK = """
- ansible.builtin.import_playbook: mlfleet.hyperpod.rollout
  vars: {rollout: keys, rollout_workflow: {verb: reconcile}, rollout_wave: 1, rollout_action: continue}
"""


@pytest.mark.parametrize("verb", ["reconcile", "login_access"])
def test_in_a_workflow_only_the_project_chooses_the_playbook_of_a_wave(fleet: Fleet, verb: str) -> None:
    """AWX gives the extra variables of the template, but a node can create others of the same names."""
    path = fleet.folder / "wave.yml"
    path.write_text(PLAYBOOK)
    run = fleet.reconcile(str(path), "-e", json.dumps({"rollout_verb": verb, "awx_workflow_job_id": 7}))
    if verb == "reconcile":
        assert run.rc == 0 and line(run).startswith("Rollout keys: wave 1: canary done. Wave 2 waits: "), run.output
        alone = fleet.reconcile(str(path), "-e", json.dumps({"rollout_verb": verb}))
        assert alone.rc != 0 and alone.changes == [] and "rollout_workflow: reconcile is not allowed" in alone.output, alone.output
    else:
        assert run.rc != 0 and run.changes == [] and "rollout_verb: " in run.output and "a node can create it" in run.output, run.output


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_killed_call_is_repeated_from_another_home(fleet: Fleet, place: str) -> None:
    fleet.aws.fault(kind="hold", operation="PutParameter", where=PLACES[place])
    log = fleet.folder / "killed.log"
    killed = begun(fleet, log)
    deadline = time.monotonic() + 60
    while not fleet.aws.control("held"):
        assert killed.poll() is None and time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    fleet.aws.clear_faults()
    shutil.copytree(fleet.home, fleet.folder / "elsewhere")
    fleet.home, fleet.state = fleet.folder / "elsewhere", fleet.folder / "state-elsewhere"
    fleet.state.mkdir()

    done = step(fleet)
    assert done.rc == 10, done.output
    wait_for_outcomes(fleet, canary="done", ml="pending", other="pending")
    assert "Wave 2 waits: it needs an approval" in line(done)
