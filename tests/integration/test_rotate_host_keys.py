"""Host keys are rotated while people work, with real clients and with the files that people receive."""

from __future__ import annotations

import json
import shutil
import typing as t
from pathlib import Path

import pytest
from harness import HOME, Run, World
from steps import step
from visitors import visitors

pytestmark = pytest.mark.slow

TYPES = ("ed25519", "ecdsa", "rsa")
# A second name must not be in known_hosts: OpenSSH does not update keys that are also listed under another name.
ALIAS = ("-e", '{"login_nodes_aliases": ["login.example.com"]}')


class Person:
    """A person who has only the two files for people."""

    def __init__(self, world: World, name: str, folder: Path) -> None:
        self.world = world
        self.name = name
        self.known_hosts = folder / f"{name}-known_hosts"
        self.take_files()

    def take_files(self) -> None:
        shutil.copy(self.world.people_files / "known_hosts", self.known_hosts)

    def login(self) -> t.Any:
        settings = {
            "User": self.name,
            "IdentityFile": HOME / "people" / self.name / "id_ed25519",
            "IdentitiesOnly": "yes",
            "BatchMode": "yes",
            "ConnectTimeout": "10",
            "UserKnownHostsFile": self.known_hosts,
        }
        options = [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]
        config = str(self.world.people_files / "ssh_config")
        return self.world.run(["ssh", "-F", config, *options, "ml", "sleep 1; echo in"], timeout=60)

    @property
    def known_keys(self) -> set[str]:
        return {line.split()[2] for line in self.known_hosts.read_text().splitlines()}


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.reset(login=1, compute=0)
    run = world.playbook("login_access", *ALIAS)
    assert run.rc == 0, run.log
    return world


def content(world: World) -> dict[str, t.Any]:
    [secret] = world.aws("secretsmanager").list_secrets()["SecretList"]
    return json.loads(world.aws("secretsmanager").get_secret_value(SecretId=secret["ARN"])["SecretString"])


def keys(key_set: dict[str, t.Any]) -> set[str]:
    assert set(key_set["keys"]) == set(TYPES)
    return {pair["public"].split()[1] for pair in key_set["keys"].values()}


def presented(world: World) -> set[str]:
    """Host keys that the login node presents to a client."""
    [node] = world.login_nodes()
    lines = world.run(["ssh-keyscan", node["ip"]]).stdout.splitlines()
    return {line.split()[2] for line in lines if line.startswith(node["ip"])}


def published(world: World) -> dict[str, t.Any]:
    cluster = world.aws("sagemaker").list_clusters()["ClusterSummaries"][0]["ClusterArn"].rpartition("/")[2]
    answer = world.aws("ssm").get_parameter(Name=f"/mlfleet/hyperpod/{cluster}/host-keys")
    return json.loads(answer["Parameter"]["Value"])


def rotate(world: World, action: str, *arguments: str) -> Run:
    """Run one action with verbose output, and assert that the output has no private key."""
    run = world.playbook("rotate_host_keys", "-vv", "--diff", *ALIAS, "-e", f"rotation={action}", *arguments)
    held = content(world)
    for key_set in filter(None, (held, held.get("next"), held.get("previous"))):
        for pair in key_set["keys"].values():
            lines = pair.get("private", "").splitlines()[2:-2]
            assert not [line for line in lines if line not in pair["public"] and line in run.output]
    return run


def announced(world: World, old: set[str]) -> set[str]:
    """Run ``start``; returns the announced new keys. The node still presents the old ones."""
    started = rotate(world, "start")
    assert (started.rc, started.status) == (0, "changed"), started.log
    new = keys(content(world)["next"])
    assert old & new == set()
    assert presented(world) == old
    return new


def notes(run: Run) -> str:
    return "\n".join(run.cluster()["notes"])


def test_a_rotation_is_invisible_to_people_who_connect_during_it(world: World, tmp_path: Path):
    alice, bob = Person(world, "alice", tmp_path), Person(world, "bob", tmp_path)
    old = keys(content(world))
    assert alice.known_keys == old == presented(world)

    with step("check mode"):
        world.reset_calls()
        planned = rotate(world, "start", "--check")
        assert (planned.rc, planned.status) == (0, "changed"), planned.log
        assert world.calls(mutating=True) == [] and keys(content(world)) == old

    with step("start, and roll back"):
        called_off = announced(world, old)
        assert alice.login().stdout.endswith("in\n")
        assert alice.known_keys == old | called_off
        back = rotate(world, "rollback")
        assert (back.rc, back.status) == (0, "changed"), back.log
        assert "refused" not in notes(back)
        assert presented(world) == old and set(content(world)) & {"next", "previous"} == set()
        assert alice.login().stdout.endswith("in\n")
        assert alice.known_keys == old  # keys that are no longer announced are removed

    with step("start again"):
        with visitors(world, "alice", pause=1) as people:
            new = announced(world, old)
        assert people.visits and people.refused == []
        assert called_off & new == set()
        assert alice.login().stdout.endswith("in\n")
        assert alice.known_keys == old | new
        assert bob.known_keys == old

    with step("a run during the rotation"):
        world.reset_calls()
        again = world.playbook("login_access", *ALIAS)
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert world.calls(mutating=True) == []
        assert "generation 2 have been announced since" in notes(again)
    with step("finish too early"):
        world.reset_calls()
        early = rotate(world, "finish")
        assert early.rc != 0
        assert "'finish' is not allowed: the new keys have been announced only since" in early.output
        assert world.calls(mutating=True) == []

    with step("finish"):
        with visitors(world, "alice", pause=1) as people:
            finished = rotate(world, "finish", "-e", "rotation_min_days=0")
        assert people.visits and people.refused == []
        assert (finished.rc, finished.status) == (0, "changed"), finished.log
        assert presented(world) == new
        note = next(each for each in finished.cluster()["notes"] if each.startswith("These users have not logged in since"))
        assert "bob" in note and "alice" not in note
        assert alice.login().stdout.endswith("in\n")
        assert alice.known_keys == new
        refused = bob.login()
        assert refused.returncode == 255
        assert "HOST IDENTIFICATION HAS CHANGED" in refused.stdout
        bob.take_files()
        assert bob.login().stdout.endswith("in\n")
    with step("the secret keeps the old keys, and no new files are left"):
        held = content(world)
        assert (held["generation"], keys(held["previous"])) == (2, old)
        assert set(published(world)) == {"version", "keys"}
        left = world.on_node(world.login_nodes()[0]["name"], "sh", "-c", "ls /etc/ssh/*_next* 2>/dev/null").stdout
        assert left == ""


def test_rollback_and_emergency_rotation(world: World, tmp_path: Path):
    before = content(world)
    with step("rollback"):
        back = rotate(world, "rollback")
        assert (back.rc, back.status) == (0, "changed"), back.log
        assert presented(world) == keys(before["previous"])
        assert "Every ssh client that connected while the new host keys were presented refuses" in notes(back)
        alice = Person(world, "alice", tmp_path)
        assert alice.login().stdout.endswith("in\n")

    with step("emergency without a confirmation"):
        world.reset_calls()
        unconfirmed = rotate(world, "emergency")
        assert unconfirmed.rc != 0
        assert "rotation: 'emergency' is not allowed: rotation_confirm is not true" in unconfirmed.output
        assert "host_keys_rotation:" not in unconfirmed.output  # not set by the user
        assert "alice, bob" in unconfirmed.output
        assert world.calls(mutating=True) == []

    with step("emergency"):
        leaked = json.dumps(content(world)["keys"])
        now = rotate(world, "emergency", "-e", "rotation_confirm=true")
        assert (now.rc, now.status) == (0, "changed"), now.log
        assert "Every ssh client that knows only the previous host keys refuses" in notes(now)
        held = content(world)
        assert presented(world) == keys(held)
        assert "previous" not in held and not any(line in json.dumps(held) for line in leaked.split("\\n")[2:4])
        assert "HOST IDENTIFICATION HAS CHANGED" in alice.login().stdout
        alice.take_files()
        assert alice.login().stdout.endswith("in\n")
