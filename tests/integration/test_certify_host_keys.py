"""Each login node has its own host keys, signed by the cluster's CA: people trust one line, even after a replacement."""

from __future__ import annotations

import json
import shutil
import typing as t
from pathlib import Path

import pytest
from harness import HOME, Run, World
from steps import step

CERTIFICATES = ("-e", "host_keys_identity=certificates")
KINDS = ("ed25519", "ecdsa", "rsa")


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.reset(login=2, compute=0)
    return world


def secret(world: World, name: str) -> dict[str, t.Any]:
    [found] = [each for each in world.aws("secretsmanager").list_secrets()["SecretList"] if each["Name"].endswith(name)]
    return json.loads(world.aws("secretsmanager").get_secret_value(SecretId=found["ARN"])["SecretString"])


def presented(world: World, node: dict[str, t.Any], *options: str) -> set[str]:
    lines = world.run(["ssh-keyscan", *options, node["ip"]]).stdout.splitlines()
    return {" ".join(line.split()[-2:]) for line in lines if "AAAA" in line}


def person(world: World, known_hosts: Path, host: str, *options: str) -> t.Any:
    """A login of alice that trusts only this known_hosts file."""
    command = world.ssh_command("alice", host, *options)
    command = [f"UserKnownHostsFile={known_hosts}" if "UserKnownHostsFile=" in each else each for each in command]
    return world.run([*command, "hostname"], timeout=60)


def assert_all_nodes_are_trusted(world: World, known_hosts: Path, name: str) -> None:
    """Through the load balancer, and at the address of each node."""
    for node in world.login_nodes():
        done = person(world, known_hosts, node["ip"], "-o", f"HostKeyAlias={name}")
        assert done.stdout.strip() == node["name"], done.stdout
    names = {person(world, known_hosts, name).stdout.strip() for _turn in range(6)}
    assert names == {node["name"] for node in world.login_nodes()}


def access(world: World, *arguments: str) -> Run:
    run = world.playbook("login_access", *arguments)
    assert run.rc == 0 and not run.cluster()["pending"], run.output[-6000:]
    return run


@pytest.mark.slow
def test_one_known_hosts_line_covers_all_login_nodes_and_replacements(world: World, tmp_path: Path):
    with step("check mode"):
        world.reset_calls()
        access(world, "--check", *CERTIFICATES)
        assert world.calls(mutating=True) == []

    with step("login_access"):
        first = access(world, "-vvv", "--diff", *CERTIFICATES)
        authority = secret(world, "/ssh-host-ca")["keys"]
        assert set(authority) == {"ed25519"}
        pair = authority["ed25519"]
        private = pair["private"].splitlines()[4:-1]  # the lines before are public, and include the public key
        assert private and not [line for line in private if line in first.output]
        held = world.run(["grep", "-rlF", "--devices=skip", private[-1], str(HOME), str(world.paths.disks)]).stdout
        assert held == ""
        assert len(world.aws("secretsmanager").list_secrets()["SecretList"]) == 1

    with step("people trust one line"):
        known_hosts = tmp_path / "known_hosts"
        shutil.copy(world.people_files / "known_hosts", known_hosts)
        [line] = known_hosts.read_text().splitlines()
        marker, name, key = line.split(" ", 2)
        assert (marker, key) == ("@cert-authority", pair["public"])
        one, two = world.login_nodes()
        assert len(presented(world, one)) == 3 and not presented(world, one) & presented(world, two)
        assert_all_nodes_are_trusted(world, known_hosts, name)
        verbose = person(world, known_hosts, name, "-v").stdout
        assert "Server host certificate: ssh-ed25519-cert-v01@openssh.com" in verbose
        elsewhere = person(world, known_hosts, one["ip"])
        assert elsewhere.returncode == 255 and "Host key verification failed" in elsewhere.stdout

    with step("login_access again"):
        world.reset_calls()
        again = access(world, *CERTIFICATES)
        assert (again.changed, again.status) == (0, "unchanged"), again.log
        assert world.calls(mutating=True) == []

    with step("a node is replaced, and another one loses its certificate"):
        before = presented(world, one)
        new = world.replace(one["name"])
        assert presented(world, new) != before
        assert "Host key verification failed" in person(world, known_hosts, new["ip"], "-o", f"HostKeyAlias={name}").stdout
        kept = presented(world, two, "-c")
        world.on_node(two["name"], "sh", "-c", "rm /etc/ssh/ssh_host_rsa_key-cert.pub && systemctl reload ssh")
        checked = world.on_node(two["name"], "/usr/bin/python3", "-I", "/var/lib/mlfleet-hyperpod/ready-check")
        assert checked.returncode == 1
        assert "presented no certificate of type ssh-rsa-cert-v01@openssh.com" in checked.stdout
    with step("reconcile"):
        reconciled = world.playbook("reconcile", *CERTIFICATES)
        assert reconciled.rc == 0 and not reconciled.cluster()["pending"], reconciled.output[-6000:]
        assert len(presented(world, new, "-c")) == 3
        now = presented(world, two, "-c")
        assert {line for line in kept if "rsa" not in line} < now and len(now - kept) == 1
        assert_all_nodes_are_trusted(world, known_hosts, name)
        assert (world.people_files / "known_hosts").read_text() == known_hosts.read_text()


@pytest.fixture
def certified(world: World) -> World:
    """The cluster with certificates, regardless of earlier tests."""
    access(world, *CERTIFICATES)
    return world


@pytest.mark.slow
def test_a_node_with_a_certificate_drains_and_returns(certified: World):
    world = certified
    node, other = world.login_nodes()
    name, known_hosts = world.login_name, world.people_files / "known_hosts"
    before = presented(world, node, "-c")
    with step("drain"):
        drained = world.playbook("drain", "-e", f"drain_nodes={node['instance_id']} drain_reason=tests", *CERTIFICATES)
        assert (drained.rc, drained.status) == (0, "changed"), drained.log
        refused = person(world, known_hosts, node["ip"], "-o", f"HostKeyAlias={name}")
        assert "tests" in refused.stdout and "Permission denied" in refused.stdout, refused.stdout  # refused by the node, whose certificate was trusted
        assert {person(world, known_hosts, name).stdout.strip() for _turn in range(4)} == {other["name"]}

    with step("reconcile"):
        world.reset_calls()
        idle = world.playbook("reconcile", *CERTIFICATES)
        assert (idle.rc, idle.changed, idle.status) == (0, 0, "unchanged"), idle.log
        assert world.calls(mutating=True) == []

    with step("undrain"):
        undrained = world.playbook("undrain", "-e", f"undrain_nodes={node['instance_id']}", *CERTIFICATES)
        assert (undrained.rc, undrained.status) == (0, "changed"), undrained.log
        assert presented(world, node, "-c") == before
        world.expect_all_serve()
        assert_all_nodes_are_trusted(world, known_hosts, name)


@pytest.mark.slow
def test_the_identity_can_change_to_shared_host_keys_and_back(certified: World, tmp_path: Path):
    world = certified
    old = tmp_path / "old"
    shutil.copy(world.people_files / "known_hosts", old)
    with step("shared host keys"):
        access(world)
        shared = {pair["public"] for pair in secret(world, "/ssh-host-keys")["keys"].values()}
        for node in world.login_nodes():
            assert presented(world, node) == shared
            assert presented(world, node, "-c") == set()
            assert world.on_node(node["name"], "sh", "-c", "ls /etc/ssh/*-cert.pub 2>/dev/null").stdout == ""
        name = world.login_name
        assert_all_nodes_are_trusted(world, world.people_files / "known_hosts", name)
        assert "Host key verification failed" in person(world, old, name).stdout

    with step("certificates again"):
        plain = tmp_path / "plain"
        shutil.copy(world.people_files / "known_hosts", plain)
        back = access(world, *CERTIFICATES)
        assert [note for note in back.cluster()["notes"] if "have the same host keys" in note]
        assert (world.people_files / "known_hosts").read_text() == old.read_text()
        # Logins with either file succeed while the nodes keep their shared keys.
        assert_all_nodes_are_trusted(world, old, name)
        assert_all_nodes_are_trusted(world, plain, name)
