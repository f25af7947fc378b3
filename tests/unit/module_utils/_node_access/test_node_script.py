# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script for nodes, run by a real shell in a mount namespace: the mark of the disk, host keys, and PAM."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import node_script
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.model import (
    Keys,
    Operations,
    parse_keys,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES, PublicKey

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")

ENTER = 'root=$1; shift; for each in etc var/lib; do mount --bind "$root/$each" "/$each"; done; exec "$@"'
"""Runs in a mount namespace, so that tests do not change the files of the machine."""
LISTEN = """
import os, socket, subprocess, sys
owner, *command = sys.argv[1:]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w") as file:
    file.write("0")
if owner:
    os.seteuid(int(owner))
    listener = socket.create_server(("127.0.0.1", 22))
    os.seteuid(0)
sys.exit(subprocess.run(command).returncode)
"""
"""Runs in a network namespace, with port 22 held by root, by a user, or free."""
ADOPT = "-account required pam_slurm_adopt.so"
OURS = f"account sufficient pam_succeed_if.so quiet user = hyperpod-ops # {node_script.MARK}"


class Node:
    """The /etc and /var/lib of a node, with stand-ins for its programs."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        for name in ("etc/ssh", "etc/sudoers.d", "etc/pam.d", "var/lib", "bin"):
            (folder / name).mkdir(parents=True)
        for name, text in {"passwd": "root:x:0:0::/root:/bin/sh\n", "group": "root:x:0:\n", "shadow": "", "gshadow": ""}.items():
            (folder / "etc" / name).write_text(text)
        for name in ("su", "visudo", "ssh-keyscan"):
            self.stand_in(name, "")
        if os.path.isdir("/etc/alternatives"):  # awk is a link into it on Debian
            shutil.copytree("/etc/alternatives", folder / "etc/alternatives", symlinks=True)
        self.new_host_key()
        key = folder / "operations"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        line = PublicKey.parse(key.with_suffix(".pub").read_text())
        assert line is not None
        self.operations = Operations(user="hyperpod-ops", key=line)
        self.pam = folder / "etc/pam.d/sshd"
        self.mark = folder / "var/lib/mlfleet-hyperpod/disk-mark"

    def stand_in(self, name: str, script: str) -> None:
        path = self.root / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def present(self, *keys: PublicKey) -> None:
        """Set the keys that ssh-keyscan prints for port 22 if it is called with all types of host keys."""
        arguments = f'case "$*" in *"-t {",".join(HOST_KEY_TYPES)} "*) ;; *) exit 1 ;; esac'
        self.stand_in("ssh-keyscan", "\n".join([arguments, *(f"echo 127.0.0.1 {key}" for key in keys)]))

    def new_host_key(self) -> None:
        path = self.root / "etc/ssh/ssh_host_ed25519_key"
        path.unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, input=b"y\n")

    def host_keys(self) -> Keys:
        return parse_keys([(self.root / "etc/ssh/ssh_host_ed25519_key.pub").read_text()])

    def run(self, expected: Keys | None = None, mark: str = "", *, listens: str = "") -> node_script.Answer:
        """:param listens: The UID of the process at port 22, or empty if the port is free."""
        script = node_script.node_script(self.operations, expected, mark).replace("\nPATH=", f"\nPATH={self.root}/bin:")
        inside = ["sh", "-c", ENTER, "sh", str(self.root), "sh", "-c", script]
        done = subprocess.run(
            ["unshare", "--mount", "--net", sys.executable, "-c", LISTEN, listens, *inside],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return node_script.parse_answer(done.stdout)


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_the_first_session_writes_a_mark_that_only_root_can_read(node: Node) -> None:
    answer = node.run()
    assert (answer.problem, answer.found) == ("", "")
    assert re.fullmatch("[0-9a-f]{32}", answer.mark) and node.mark.read_text() == answer.mark + "\n"
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (node.mark, node.mark.parent)]
    assert (modes, node.mark.stat().st_uid) == ([0o600, 0o700], 0)
    assert not [name for name in os.listdir(node.mark.parent) if name != "disk-mark"]


@pytest.mark.parametrize(("days", "shell"), [("1", "/usr/sbin/nologin"), ("1", "/bin/bash"), ("", "/bin/false"), ("", "/bin/bash"), ("99999", "/bin/sh")])
def test_an_account_without_login_rights_gets_them_back(node: Node, days: str, shell: str) -> None:
    node.run()
    passwd, shadow = node.root / "etc/passwd", node.root / "etc/shadow"
    passwd.write_text(re.sub(r"(hyperpod-ops:.*:)[^:\n]*\n", rf"\1{shell}\n", passwd.read_text()))
    shadow.write_text(re.sub(r"(hyperpod-ops(?::[^:]*){6}:)[^:]*(:.*)", rf"\g<1>{days}\2", shadow.read_text()))
    changed = " ".join(node.run(node.host_keys(), node.mark.read_text().strip()).changed)
    fields = {file.name: next(line for line in file.read_text().splitlines() if line.startswith("hyperpod-ops:")).split(":") for file in (passwd, shadow)}
    shut = shell.rpartition("/")[2] in ("nologin", "false")
    assert fields["passwd"][6] == ("/bin/bash" if shut else shell) and ("whose shell allowed no login" in changed) is shut
    assert fields["shadow"][7] == ("" if days == "1" else days) and ("which had expired" in changed) is (days == "1")


def test_a_recorded_disk_keeps_its_mark_and_changes_nothing(node: Node) -> None:
    first = node.run()
    again = node.run(node.host_keys(), first.mark)
    assert (again.problem, again.changed, again.found, again.mark) == ("", (), first.mark, first.mark)


def test_a_mark_without_a_record_is_replaced(node: Node) -> None:
    """It may be part of the image, and then other nodes also have it."""
    first = node.run()
    second = node.run(node.host_keys())
    assert second.found == first.mark and second.mark not in ("", first.mark)


@pytest.mark.parametrize("recorded", ["", "same"])
def test_another_key_on_the_same_disk_stops_before_any_change(node: Node, recorded: str) -> None:
    """Also without a recorded mark, because then the disk cannot be identified."""
    first, keys = node.run(), node.host_keys()
    node.new_host_key()
    before = sorted((str(path), path.lstat().st_mtime_ns) for path in node.root.rglob("*"))
    answer = node.run(keys, first.mark if recorded else "")
    assert answer.mismatch and answer.host_keys == node.host_keys()
    assert sorted((str(path), path.lstat().st_mtime_ns) for path in node.root.rglob("*")) == before


PLANTED = "ssh-ed25519 AAAAMALLORY mallory\n"
OPENED: dict[str, t.Callable[[Path, Path], object]] = {
    "nothing": lambda folder, file: None,
    "a folder that all may write": lambda folder, file: folder.chmod(0o777),
    "a folder of others": lambda folder, file: os.chown(folder, 20009, 20009),
    "a file that all may write": lambda folder, file: file.chmod(0o646),
    "a file of others": lambda folder, file: os.chown(file, 20009, 20009),
}


@pytest.mark.parametrize("place", ["etc/ssh/authorized_keys.d/hyperpod-ops", "var/lib/hyperpod-ops/.ssh/authorized_keys"])
@pytest.mark.parametrize("opened", OPENED)
def test_lines_that_others_could_have_written_are_not_kept(node: Node, place: str, opened: str) -> None:
    assert node.run().problem == ""
    file = node.root / place
    ours = file.read_text()
    file.write_text(PLANTED + ours)
    before = file.stat()
    OPENED[opened](file.parent, file)
    (file.parent / "rc\nerror").write_text("")
    os.chown(file.parent / "rc\nerror", 20009, 20009)
    answer = node.run()
    assert answer.problem == ""
    assert (file.parent / "rc\nerror").exists() is ("folder" not in opened)
    assert file.read_text() == (PLANTED + ours if opened == "nothing" else ours)
    assert (file.stat().st_uid, file.stat().st_mode, file.parent.stat().st_mode & 0o022) == (before.st_uid, before.st_mode, 0)
    assert any(line.startswith(f"/{place}, without lines") for line in answer.changed) is (opened != "nothing")


@pytest.mark.parametrize("place", ["etc/ssh/authorized_keys.d/hyperpod-ops", "etc/sudoers.d/hyperpod-ops"])
def test_other_entries_than_files_are_replaced_or_reported(node: Node, place: str) -> None:
    assert node.run().problem == ""
    file = node.root / place
    ours = file.read_text()
    for make in (lambda: file.symlink_to("/dev/null"), lambda: os.mkfifo(file), file.mkdir):
        file.unlink()
        make()
        assert node.run().problem == "" and file.read_text() == ours and not file.is_symlink()
    file.unlink()
    (file / "more").mkdir(parents=True)
    assert node.run().problem == f"/{place} is a folder with files in it"


@pytest.mark.parametrize("found", [None, "0" * 32])
def test_a_new_disk_is_not_bound_to_the_keys_of_the_old_one(node: Node, found: str | None) -> None:
    first, keys = node.run(), node.host_keys()
    node.new_host_key()
    node.mark.unlink() if found is None else node.mark.write_text(f"{found}\n")
    answer = node.run(keys, first.mark)
    assert (answer.problem, answer.mismatch, answer.found) == ("", False, found or "")
    assert answer.mark not in ("", found, first.mark)


def test_a_new_disk_is_trusted_with_the_key_that_sshd_still_presents(node: Node) -> None:
    """The key file changed after sshd started: connections get the old key until sshd restarts."""
    (old,) = node.host_keys()
    node.new_host_key()
    node.present(old)
    answer = node.run(listens="0")
    assert answer.problem == "" and set(answer.host_keys) == {old, *node.host_keys()}


def test_a_key_without_a_file_is_accepted_if_sshd_presents_it(node: Node) -> None:
    (old,) = node.host_keys()
    (node.root / "etc/ssh/ssh_host_ed25519_key").unlink()
    assert node.run(listens="0").problem == "sshd has no host keys yet"
    node.present(old)
    assert node.run(listens="0").host_keys == (old,)
    assert node.run((old,), listens="0").host_keys == (old,)


@pytest.mark.parametrize("listens", ["65534", ""])
def test_a_key_that_a_user_presents_on_port_22_is_no_host_key(node: Node, listens: str) -> None:
    keys = node.host_keys()
    node.present(node.operations.key)
    assert node.run(listens=listens).host_keys == keys


def test_a_presented_key_is_not_added_to_a_known_disk(node: Node) -> None:
    """Another key file is still a mismatch. A key that is only presented does not count and does not stop the session."""
    (old,) = node.host_keys()
    node.present(node.operations.key)
    assert node.run((old,), listens="0").host_keys == (old,)
    node.new_host_key()
    node.present(old)
    assert node.run((old,), listens="0").mismatch


@pytest.mark.parametrize("text", ["", "x" * 32, "a" * 31, "a" * 33, "A" * 32])
def test_an_invalid_mark_counts_as_none(node: Node, text: str) -> None:
    node.run()
    node.mark.write_text(f"{text}\n")
    assert node.run().found == ""


@pytest.mark.parametrize("place", ["disk-mark", "."])
def test_no_mark_is_read_or_written_through_a_link(node: Node, place: str) -> None:
    elsewhere = node.root / "var/lib/elsewhere"
    elsewhere.mkdir()
    (elsewhere / "disk-mark").write_text("b" * 32 + "\n")
    link = node.mark.parent
    if place != ".":
        link.mkdir()
        link = node.mark
    link.symlink_to("/var/lib/elsewhere" + ("" if place == "." else "/disk-mark"))
    answer = node.run()
    assert (elsewhere / "disk-mark").read_text() == "b" * 32 + "\n" and answer.found == ""
    assert answer.problem == ("/var/lib/mlfleet-hyperpod is a symbolic link" if place == "." else "")


PAM = f"# {ADOPT}\naccount required pam_nologin.so\n@include common-account\n{ADOPT}\nsession required pam_loginuid.so\n"


@pytest.mark.parametrize(
    "line",
    [
        ADOPT,
        "account required /usr/lib64/security/pam_slurm_adopt.so action_no_jobs=deny",
        "\taccount\t[success=ok default=bad] pam_slurm_adopt.so",
    ],
)
def test_pam_slurm_adopt_lets_the_operations_account_in(node: Node, line: str) -> None:
    node.pam.write_text(PAM.replace(f"\n{ADOPT}", f"\n{line}"))
    node.pam.chmod(0o640)
    answer = node.run()
    assert answer.problem == "" and "/etc/pam.d/sshd" in answer.changed
    assert node.pam.read_text() == PAM.replace(f"\n{ADOPT}", f"\n{OURS}\n{line}")
    assert stat.S_IMODE(node.pam.stat().st_mode) == 0o640
    assert os.listdir(node.pam.parent) == ["sshd"]
    again = node.run(node.host_keys(), answer.mark)
    assert (again.problem, again.changed) == ("", ())


@pytest.mark.parametrize("text", [PAM.replace(f"\n{ADOPT}", ""), f"session required pam_slurm_adopt.so\n#{ADOPT}\n"])
def test_pam_without_pam_slurm_adopt_is_left_alone(node: Node, text: str) -> None:
    node.pam.write_text(text)
    assert "/etc/pam.d/sshd" not in node.run().changed
    assert node.pam.read_text() == text


def test_pam_behind_a_link_is_a_problem(node: Node) -> None:
    (node.root / "etc/other").write_text(PAM)
    node.pam.symlink_to("/etc/other")
    assert node.run().problem == (
        "pam_slurm_adopt in /etc/pam.d/sshd refuses hyperpod-ops, and /etc/pam.d/sshd was not changed because it is a symbolic link"
    )
    assert (node.root / "etc/other").read_text() == PAM
