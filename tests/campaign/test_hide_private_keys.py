"""Private host keys are only in the secret and in /etc/ssh of the nodes."""

from __future__ import annotations

import json
import subprocess
import typing as t
from pathlib import Path

from harness import HOME, World
from steps import step
from worlds import note_ready

KEY_FILES = {f"etc/ssh/ssh_host_{key_type}_key" for key_type in ("ed25519", "ecdsa", "rsa")}
VOLATILE = ("/run", "/tmp", "/var/tmp", "/dev/shm", "/fsx")


def test_private_keys_are_only_in_the_secret_and_on_the_nodes(tmp_path: Path):
    """A first run with full verbosity, and with a log and a fact cache on disk."""
    bare = World()
    bare.reset(login=2, compute=1)
    with step("login_access"):
        log, facts = tmp_path / "ansible.log", tmp_path / "facts"
        run = bare.playbook(
            "login_access",
            "-vvv",
            env={
                "ANSIBLE_LOG_PATH": str(log),
                "ANSIBLE_CACHE_PLUGIN": "ansible.builtin.jsonfile",
                "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(facts),
            },
        )
        assert run.rc == 0, run.output[-5000:]
        assert list(facts.iterdir()), "the fact cache was not used"
        lines = _private_lines(bare)

    with step("the controller"):
        assert [line for line in lines if line in run.output] == []
        assert [line for line in lines if line in log.read_text()] == []
        patterns = tmp_path / "patterns"
        patterns.write_text("\n".join(lines) + "\n")
        assert _holding(patterns, [HOME, bare.paths.temporary, Path("/tmp"), Path("/dev/shm")]) == {patterns}

    with step("the nodes"):
        # A node's upper layer has everything that was written to its disk.
        layers = {bare.paths.disks / node["instance_id"] / "upper" for node in bare.hosts()}
        wanted = {
            bare.paths.disks / node["instance_id"] / "upper" / path for node in bare.login_nodes() for path in KEY_FILES
        }
        assert _holding(patterns, layers) == wanted
        for node in bare.hosts():
            assert _on_node(bare, node["instance_id"], lines) == ""
        _expect_found(bare, bare.hosts()[0]["instance_id"])
        note_ready(bare, login=2, compute=1)


def _private_lines(world: World) -> list[str]:
    """The lines of the private keys, without the first ones, which are the same for all keys of a type."""
    [secret] = world.aws("secretsmanager").list_secrets()["SecretList"]
    keys = json.loads(world.aws("secretsmanager").get_secret_value(SecretId=secret["ARN"])["SecretString"])["keys"]
    assert set(keys) == {"ed25519", "ecdsa", "rsa"}
    return [
        line
        for pair in keys.values()
        for line in pair["private"].strip().splitlines()[2:-1]
        if len(line) > 20 and line not in pair["public"]
    ]


def _holding(patterns: Path, places: t.Iterable[Path]) -> set[Path]:
    """Files below ``places`` that contain one of the patterns."""
    command = ["grep", "-rlaFf", str(patterns), "--devices=skip", *map(str, places)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return {Path(line) for line in done.stdout.splitlines()}


def _expect_found(world: World, node: str) -> None:
    """Prove that the search on a node finds a line, in a file outside of the disk and in the journal."""
    line = "bm90IGEga2V5IGJ1dCBsb29rcyBsaWtlIG9uZQ"
    script = f"echo {line} >/run/found; echo {line} | systemd-cat; journalctl --sync"
    assert world.on_node(node, "sh", "-euc", script).returncode == 0
    *files, count = _on_node(world, node, [line]).split("\n")
    assert "/run/found" in files and int(count) >= 1, (files, count)
    world.on_node(node, "rm", "/run/found")


def _on_node(world: World, node: str, lines: list[str]) -> str:
    """Files outside of the node's disk that contain one of the lines, and how many lines of the journal do."""
    script = (
        f"cd /; printf '%s\\n' {' '.join(lines)} >/root/patterns; "
        f"grep -rlaFf /root/patterns --devices=skip {' '.join(VOLATILE)} 2>/dev/null; "
        "journalctl --no-pager --all --output=cat 2>/dev/null | grep -acFf /root/patterns | grep -vx 0; "
        "rm /root/patterns"
    )
    return world.on_node(node, "sh", "-c", script).stdout.strip()
