"""A person is removed from all nodes of two clusters, at once where nodes answer, and no old file restores the account."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from harness import HOME, STATE_DIR, Run, World
from lab.cli import world as lab_world
from mishaps import locked_elsewhere, silent
from steps import step
from visitors import visitors
from work import controller, jobs, shell

pytestmark = pytest.mark.slow

OTHER = "two"
FILE = HOME / "shared_users.txt"
DECLARED = ("-e", json.dumps({"hyperpod_users_files": [str(FILE)]}))
MALLORY = ("-e", "offboard_name=mallory", *DECLARED)
HOOK = """\
- name: End another kind of access
  ansible.builtin.set_fact:
    offboard_hook_evidence: ["certificate of {{ offboard_person.name }} ({{ offboard_person.uid }}) revoked"]
"""


@pytest.fixture(scope="module")
def ready() -> World:
    """Two small clusters with the same homes. mallory is declared in the workshop's file, and has Slurm accounts."""
    world = World()
    world.reset(login=1, compute=1)
    lab_world.create_cluster(OTHER, world.subnets(), world.node_security_group(), login=1, compute=0)
    lab_world.wait_in_service(OTHER)
    FILE.write_text("# the workshop's people\nmallory,20003,/fsx/mallory\n")
    run = world.playbook("login_access", *DECLARED)
    assert run.rc == 0, run.log
    for node in (controller(world), others_controller(world)):
        for entry in ("account research", "user mallory account=research"):
            assert sacctmgr(world, node, f"add {entry}").returncode == 0
    return world


def account(world: World, node: str) -> str:
    """The account on a node: its line in passwd, or an empty text."""
    return world.on_node(node, "getent", "-s", "files", "passwd", "mallory").stdout


def other_id(world: World) -> str:
    return world.aws("sagemaker").describe_cluster(ClusterName=OTHER)["ClusterArn"].rpartition("/")[2]


def others(world: World) -> list[dict]:
    """The nodes of the other cluster."""
    return [node for node in world.hosts() if node["cluster_id"] == other_id(world)]


def others_controller(world: World) -> str:
    return next(node["name"] for node in others(world) if node["node_type"] == "controller")


def sacctmgr(world: World, node: str, command: str) -> subprocess.CompletedProcess:
    return world.on_node(node, "sacctmgr", "--immediate", "--noheader", "--parsable2", *command.split())


def slurm_accounts(world: World, node: str) -> list[str]:
    shown = sacctmgr(world, node, "show user name=mallory withassoc format=User,Account")
    assert shown.returncode == 0, shown.stdout
    return shown.stdout.split()


def evidence() -> list[dict]:
    return [json.loads(path.read_text()) for path in sorted((STATE_DIR / "offboarding").glob("mallory-*.json"))]


def removed(run: Run, cluster: str = "ml") -> set[str]:
    return {f"{change['action']} {change['resource']}" for change in run.cluster(cluster)["changes"]}


def start_hidden(world: World, node: str) -> None:
    """Start a process of mallory whose name looks like the state of an ended process."""
    start = r"""printf 'x\014State: Z' >/proc/$$/comm; while :; do sleep 1; done"""
    shell(world, node, f"setsid sh -c '{start.replace(chr(39), chr(34))}' </dev/null >/dev/null 2>&1 &", "mallory")
    world.eventually(lambda: _equal(own_processes(world, node, "State: Z"), 1))


def start_forking(world: World, node: str) -> None:
    """Start a chain of processes of mallory, each of which ends when it has started the next."""
    chain = "while (1) { exit if fork; syswrite(STDOUT, qq(.)); }"
    shell(world, node, f"setsid perl -e '$SIG{{TERM}} = qq(IGNORE); {chain}' </dev/null >/tmp/chain 2>/dev/null &", "mallory")
    world.eventually(lambda: _equal(grows(world, node), True))


def grows(world: World, node: str) -> bool:
    command = "before=$(stat -c %s /tmp/chain); sleep 0.5; test $(stat -c %s /tmp/chain) -gt $before"
    return shell(world, node, command).returncode == 0


def own_processes(world: World, node: str, name: str) -> int:
    """Number of processes with mallory's UID and this name."""
    command = f"for each in /proc/[0-9]*; do test $(stat -c %u $each) = 20003 && grep -q '{name}' $each/comm && echo; done"
    return len(shell(world, node, f"{command} 2>/dev/null").stdout)


def test_offboarding_reports_a_silent_node_and_a_running_job(ready: World, tmp_path: Path):
    here, there = ready.login_nodes()[0]["name"], ready.hosts("worker-group-1")[0]["name"]
    key = (HOME / "people" / "mallory" / "id_ed25519.pub").read_text().strip()
    with step("mallory has sessions, a job and processes"):
        shell(ready, here, f"mkdir -m 700 ~mallory/.ssh; echo '{key}' >~mallory/.ssh/authorized_keys", "mallory")
        shell(ready, here, "mkdir -p /var/spool/cron/crontabs; echo '* * * * * true' >/var/spool/cron/crontabs/mallory")
        assert ready.login("mallory", "id -u; pwd").stdout.split() == ["20003", "/fsx/mallory"]
        submit = f"cd /tmp && sbatch -o /dev/null -p dev -w {here} --wrap 'sleep 901'"
        assert shell(ready, here, submit, "mallory").returncode == 0
        ready.eventually(lambda: _equal(jobs(ready), ["RUNNING 20003"]))
        start_hidden(ready, here)
        start_forking(ready, controller(ready))
        session = subprocess.Popen([*ready.ssh_command("mallory"), "sleep 902"], stdin=subprocess.DEVNULL)
        ready.eventually(lambda: _equal(shell(ready, here, "pgrep -u mallory -fx 'sleep 902'").returncode, 0))

    with step("an invalid name and an invalid UID"):
        ready.reset_calls()
        typo = ready.playbook("offboard", "-e", "offboard_name=Mallory", *DECLARED)
        assert typo.rc != 0 and "offboard_name: 'Mallory' is not allowed" in typo.output
        number = ready.playbook("offboard", *MALLORY, "-e", "offboard_uid=65534")
        assert number.rc != 0 and "offboard_uid: 65534 is not allowed" in number.output
    with step("check mode"):
        planned = ready.playbook("offboard", *MALLORY, "--check", "--diff")
        assert planned.rc == 0, planned.log
        assert ready.calls(mutating=True) == [] and evidence() == []
        assert session.poll() is None and account(ready, here)

    with step("offboard while a node is silent"):
        (tmp_path / "hook.yml").write_text(HOOK)
        with silent(ready, there), visitors(ready, "bob", pause=1) as people:
            run = ready.playbook("offboard", *MALLORY, "-e", json.dumps({"offboard_hooks": [str(tmp_path / "hook.yml")]}))
        assert people.visits and people.refused == []
        assert run.rc != 0, run.log
        quiet = ready.hosts("worker-group-1")[0]["instance_id"]
        failures = " ".join(run.cluster()["failures"])
        assert f"may still have access to ml: node {quiet}: it does not answer. Run again." in failures, failures
        assert {"create record offboarded mallory", "delete sessions of mallory", "delete scheduled work of mallory"} <= (
            removed(run)
        )
        assert removed(run) == removed(planned)
    with step("only a job of mallory still runs"):
        assert session.wait(timeout=10) == 255
        assert own_processes(ready, here, "State: Z") == 0 and not grows(ready, controller(ready))
        assert ready.login("mallory", "true").returncode == 255
        assert (account(ready, controller(ready)), bool(account(ready, here))) == ("", True)
        assert shell(ready, here, "getent -s files shadow mallory").stdout.split(":")[1] == "!"
        assert jobs(ready) == ["RUNNING 20003"]
        assert "Jobs of mallory continue" in " ".join(run.cluster()["notes"])
        assert slurm_accounts(ready, controller(ready)) == ["mallory|research"]
        assert "The Slurm account of mallory stays while there are jobs" in " ".join(run.cluster()["pending"])
        assert slurm_accounts(ready, others_controller(ready)) == []
        assert "delete Slurm account of mallory" in removed(run, OTHER)

    with step("evidence"):
        (found,) = evidence()
        cluster, other = found["clusters"]
        assert (found["complete"], found["person"]["uids"], cluster["state"]) == (False, [20003], "incomplete")
        assert (other["cluster"], other["state"], {node["state"] for node in other["nodes"]}) == (OTHER, "done", {"done"})
        assert [account(ready, node["name"]) for node in others(ready)] == ["", ""]
        states = {node["instance_id"]: node["state"] for node in cluster["nodes"]}
        assert (states.pop(quiet), set(states.values())) == ("not reached", {"pending"})
        assert {"ml: job", "ml: node"} <= {" ".join(sentence.split()[:2]) for sentence in found["not_finished"]}
        assert cluster["record"]["uid"] == 20003 and len(cluster["authorized_keys"][0]["keys"]) == 1
        assert cluster["hook_evidence"] == ["certificate of mallory (20003) revoked"]
        assert {path.stat().st_mode & 0o777 for path in (STATE_DIR / "offboarding").iterdir()} == {0o600}


def test_a_running_job_is_pending_and_another_uid_is_not_removed(ready: World):
    odd = others(ready)[0]
    shell(ready, odd["name"], "useradd -M -u 20009 mallory")
    run = ready.playbook("offboard", *MALLORY)
    assert (run.cluster()["status"], run.cluster(OTHER)["status"]) == ("degraded", "failed"), run.log
    sentence = f"node {odd['instance_id']}: its account has UID 20009, and that of the user is 20003"
    assert sentence in " ".join(run.cluster(OTHER)["failures"])
    assert account(ready, odd["name"]).startswith("mallory:x:20009:")
    assert shell(ready, odd["name"], "userdel mallory").returncode == 0
    here = ready.login_nodes()[0]
    assert jobs(ready) == ["RUNNING 20003"] and account(ready, here["name"])
    found = evidence()[-1]
    assert [cluster["state"] for cluster in found["clusters"]] == ["pending", "incomplete"]
    assert f"ml: node {here['instance_id']}: the account stays locked while the user's jobs run on the node" in found["not_finished"]


def test_a_later_run_completes_and_the_next_changes_nothing(ready: World):
    arguments = (*MALLORY, "-e", "offboard_jobs=cancel offboard_shared_keys=remove offboard_home=archive")
    with step("offboard"):
        run = ready.playbook("offboard", *arguments)
        assert run.rc == 0, run.log
        assert jobs(ready) == [] == slurm_accounts(ready, controller(ready))
        assert "delete Slurm account of mallory" in removed(run)
        assert [node["name"] for node in ready.hosts() if account(ready, node["name"])] == []
        home = shell(ready, ready.login_nodes()[0]["name"], "stat -c '%n %u %a' /fsx/mallory*").stdout.split()
        assert home == ["/fsx/mallory.offboarded", "20003", "700"]
        assert (evidence()[-1]["complete"], len(evidence())) == (True, 3)

    with step("offboard again"):
        ready.reset_calls()
        again = ready.playbook("offboard", *arguments)
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert ready.calls(mutating=True) == []


def test_a_cluster_locked_by_another_run_fails_by_name(ready: World):
    with locked_elsewhere(ready, OTHER):
        run = ready.playbook("offboard", *MALLORY)
    assert run.rc != 0, run.log
    sentence = f"mallory may still have access to {OTHER}: another run holds the lock of the cluster. Run again."
    assert sentence in " ".join(run.cluster(OTHER)["failures"])
    assert run.cluster()["status"] == "unchanged"
    assert evidence()[-1]["not_finished"] == [f"{OTHER}: another run holds the lock of the cluster"]


def test_no_old_file_restores_the_account(ready: World):
    """The node is replaced, the script of HyperPod recreates the account, and the file still has the name.

    The first reconcile after an offboarding also checks compute nodes, and those that do not answer are pending.
    """
    with step("accounts are recreated"):
        fresh, worker = ready.replace(ready.login_nodes()[0]["instance_id"]), ready.hosts("worker-group-1")[0]
        for node in (fresh, worker):
            shell(ready, node["name"], "useradd -u 20003 -d /fsx/mallory mallory")
    with step("reconcile while a node is silent"):
        with silent(ready, worker["name"]):
            partly = ready.playbook("reconcile", *DECLARED, "--limit", "cluster_ml")
        sentence = "Access of mallory (removed) has not been verified on 1 of 3 nodes since the change: "
        assert sentence + worker["instance_id"] + "." in partly.cluster()["pending"], partly.log
        assert account(ready, worker["name"])
    with step("reconcile"):
        run = ready.playbook("reconcile", *DECLARED, "--limit", "cluster_ml")
        assert run.rc == 0, run.log
        assert [account(ready, node["name"]) for node in (fresh, worker)] == ["", ""]
        assert "Access of" not in " ".join(run.cluster()["pending"])
        assert f"is still declared in {FILE} line 2, but gets no account. Remove the entry" in " ".join(
            run.cluster()["notes"]
        )
        assert ready.login("alice").returncode == 0

    with step("the UID is declared for another person"):
        FILE.write_text("carol,20003,/fsx/carol\n")
        refused = ready.playbook("reconcile", *DECLARED, "--limit", "cluster_ml")
        assert refused.rc != 0
        assert f"{FILE} line 1: the UID 20003 of carol is not allowed: this UID belonged to mallory" in " ".join(
            refused.cluster()["failures"]
        )


def _equal(found: object, wanted: object) -> None:
    assert found == wanted, found
