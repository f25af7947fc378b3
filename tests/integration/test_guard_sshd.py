"""A change of sshd that would lock people out: refused if it is predictable, otherwise rolled back by the node itself."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
import typing as t
from pathlib import Path

import pytest
from gates import RECORD, closed_and_opened, expect
from harness import Run, World
from worlds import ready_world

DROP_IN = "/etc/ssh/sshd_config.d/10-mlfleet-hyperpod.conf"
PENDING = "/var/lib/mlfleet-hyperpod/sshd-rollback/pending"
FOREIGN = "/etc/ssh/sshd_config.d/00-hardening.conf"
CONFIRM_SECONDS = 15
UNSEEN = ("host-keys-unverified", "target-held")
"""Tolerated codes of a node that admits one connection at a time and may drop our own check of its host keys."""
TOO_FEW = ("-e", "login_nodes_max_startups=1:100:1", "-e", f"login_nodes_confirm_timeout={CONFIRM_SECONDS}")


@pytest.fixture(scope="module")
def ready() -> World:
    """A small cluster after one run of login_access. Tests restore what they change."""
    return ready_world(login=2, compute=1)


@pytest.mark.slow
def test_a_lockout_by_a_foreign_file_is_predicted(ready: World):
    """Our reload would activate a foreign file: the change is refused on that node, which leaves the service."""
    canary, other = _in_turn(ready)
    before = _drop_ins(ready)
    ready.on_node(canary["instance_id"], "sh", "-c", f"echo 'AllowUsers nobody' >{FOREIGN}")
    try:
        run = ready.playbook("login_access", "-e", "login_nodes_client_alive_interval=61")
        assert ready.login("alice").stdout.strip() == other["name"]
    finally:
        ready.on_node(canary["instance_id"], "rm", FOREIGN)
    assert (run.rc, run.status) == (0, "degraded"), run.log
    assert "'hyperpod-ops' could no longer log in: AllowUsers does not name hyperpod-ops" in run.output
    _expect_out(ready, canary, run)
    after = _drop_ins(ready)
    assert after[canary["instance_id"]] == before[canary["instance_id"]]
    assert "ClientAliveInterval 61" in after[other["instance_id"]]
    _expect_healed(ready, before)


def test_a_lockout_is_rolled_back_and_the_next_node_becomes_the_canary(ready: World):
    """A MaxStartups that health probes use up is valid, but locks everyone else out; only a new login reveals that."""
    canary, other = _in_turn(ready)
    before = _drop_ins(ready)
    with _probes(canary["ip"]):
        run = ready.playbook("login_access", *TOO_FEW)
    assert (run.rc, run.status) == (0, "degraded"), run.log
    assert "was rolled back by the node: no new login confirmed it within 15 s" in run.output
    assert f"Restored: {DROP_IN}" in run.output
    _expect_out(ready, canary, run, tolerated=UNSEEN)
    after = _drop_ins(ready)
    assert after[canary["instance_id"]] == before[canary["instance_id"]]
    assert "MaxStartups 1:100:1" in after[other["instance_id"]]
    _expect_healed(ready, before)


@pytest.mark.slow
def test_a_lockout_on_all_login_nodes_is_rolled_back_and_all_stay_in_service(ready: World):
    before = _drop_ins(ready)
    with contextlib.ExitStack() as stack:
        for node in _in_turn(ready):
            stack.enter_context(_probes(node["ip"]))
        run = ready.playbook("login_access", *TOO_FEW)
    assert (run.rc, run.status) == (2, "failed"), run.log
    assert "Every login node of ml failed or was unreachable" in " ".join(run.output.split())
    assert _drop_ins(ready) == before
    for node in _in_turn(ready):
        _expect_login(ready, node)
    assert sorted(ready.target_health().values()) == ["healthy", "healthy"]


@pytest.mark.slow
def test_a_change_is_rolled_back_if_its_controller_dies(ready: World):
    canary = _in_turn(ready)[0]
    before = _drop_ins(ready)
    for _attempt in range(3):
        with _probes(canary["ip"]):
            if _kill_before_confirmation(ready, canary):
                assert "MaxStartups 1:100:1" in _drop_ins(ready)[canary["instance_id"]]
                ready.eventually(lambda: _expect_equal(_drop_ins(ready), before), seconds=CONFIRM_SECONDS + 30)
                ready.eventually(lambda: _expect_login(ready, canary))  # the files are restored before sshd has read them
                break
        # On a busy machine a login can precede the probes; the change is then confirmed, and this run removes it.
        assert ready.playbook("login_access").rc == 0
    else:
        pytest.fail("each run was confirmed before it was killed")
    run = ready.playbook("login_access")
    assert (run.rc, run.changed, run.status) == (0, 0, "unchanged"), run.log
    assert _drop_ins(ready) == before


def _kill_before_confirmation(world: World, canary: dict[str, t.Any]) -> bool:
    process = subprocess.Popen(
        ["ansible-playbook", "mlfleet.hyperpod.login_access", *TOO_FEW],
        cwd=world.paths.repo,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        world.eventually(lambda: _expect_pending(world, canary), seconds=300)
    finally:
        _kill_with_descendants(process)
    return _disk(world, canary, PENDING).is_dir()


def test_break_glass_needs_no_sshd(ready: World):
    """The shell of Systems Manager, as the documentation describes it, on a node whose sshd does not run."""
    node = _in_turn(ready)[0]
    ready.on_node(node["instance_id"], "systemctl", "stop", "ssh.socket", "ssh.service")
    try:
        target = f"sagemaker-cluster:{node['cluster_id']}_{node['group']}-{node['instance_id']}"
        assert ready.login("alice", "true", node["ip"], "-o", f"HostKeyAlias={ready.login_name}").returncode == 255
        done = subprocess.run(
            ["aws", "--profile", "lab", "ssm", "start-session", "--target", target],
            input="echo user=$(id -un) host=$(hostname)\nsystemctl start ssh\nexit\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert f"user=root host={node['name']}" in done.stdout, done.stdout
        _expect_login(ready, node)
    finally:
        ready.on_node(node["instance_id"], "systemctl", "start", "ssh.service")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["an account", "a host key"])
def test_a_tampered_node_closes_its_gate_by_itself(ready: World, what: str):
    """Within a minute, without a run, and only its own gate; the campaign covers more faults."""
    other, node = _in_turn(ready)  # the killed run stops the canary's watcher for up to 15 minutes
    closed_and_opened(ready, node, what, other)
    ready.on_node(node["name"], "rm", RECORD)


def _expect_out(world: World, node: dict[str, t.Any], run: Run, *, tolerated: t.Collection[str] = ()) -> None:
    """The node gets no logins, and findings name it; ``tolerated`` are codes of findings to ignore."""
    pending = [each for each in run.cluster()["findings"] if each["kind"] == "pending" and each["code"] not in tolerated]
    named = {(each["code"], each["node"]) for each in pending}
    assert named == {("node-failed", node["instance_id"]), ("login-node-out", node["instance_id"])}, run.log
    assert world.target_health().get(node["ip"]) in (None, "draining")
    expect(node, health=False, people=False)


def _expect_healed(world: World, drop_ins: dict[str, str]) -> None:
    """One run heals the nodes once the fault is gone."""
    run = world.playbook("login_access")
    assert (run.rc, run.status) == (0, "changed"), run.log
    assert _drop_ins(world) == drop_ins
    world.expect_all_serve()


def _in_turn(world: World) -> list[dict[str, t.Any]]:
    """The login nodes in the order in which a run takes them; the first is the canary."""
    return sorted(world.login_nodes(), key=lambda node: node["instance_id"])


def _drop_ins(world: World) -> dict[str, str]:
    """The drop-in file on the disk of each login node."""
    return {node["instance_id"]: _disk(world, node, DROP_IN).read_text() for node in world.login_nodes()}


def _disk(world: World, node: dict[str, t.Any], path: str) -> Path:
    return world.paths.disks / node["instance_id"] / "root" / path.lstrip("/")


def _expect_pending(world: World, node: dict[str, t.Any]) -> None:
    assert _disk(world, node, PENDING).is_dir()
    assert "MaxStartups 1:100:1" in _disk(world, node, DROP_IN).read_text()


def _expect_login(world: World, node: dict[str, t.Any]) -> None:
    done = world.login("alice", "hostname", node["ip"], "-o", f"HostKeyAlias={world.login_name}")
    assert done.stdout.strip() == node["name"], done.stdout


def _expect_equal(found: object, wanted: object) -> None:
    assert found == wanted, found


@contextlib.contextmanager
def _probes(address: str) -> t.Iterator[None]:
    """Health probes that connect to sshd and send nothing; one of them is always connected."""
    stop = threading.Event()

    def probe() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError), socket.create_connection((address, 22), timeout=2) as first:
                first.settimeout(2)
                taken = first.recv(4) == b"SSH-"
                with contextlib.suppress(OSError), socket.create_connection((address, 22), timeout=2) as second:
                    second.settimeout(2)
                    alone = taken and second.recv(4) != b"SSH-"
                    second.close()
                    if alone:  # the limit is active: keep the only connection until sshd ends it or reloads its files
                        first.settimeout(0.2)
                        while not stop.is_set() and _open(first):
                            if _greets(address):
                                break
            stop.wait(0.1)

    thread = threading.Thread(target=probe, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=10)


def _open(connection: socket.socket) -> bool:
    try:
        return connection.recv(100) != b""
    except TimeoutError:
        return True


def _greets(address: str) -> bool:
    """Whether sshd greets another connection."""
    with contextlib.suppress(OSError), socket.create_connection((address, 22), timeout=2) as connection:
        connection.settimeout(2)
        return connection.recv(4) == b"SSH-"
    return False


def _kill_with_descendants(process: subprocess.Popen[bytes]) -> None:
    """As when the controller's machine dies: nothing is cleaned up."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    doomed = {process.pid}
    while more := {pid for pid, parent in parents.items() if parent in doomed} - doomed:
        doomed |= more
    for pid in doomed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.1)
