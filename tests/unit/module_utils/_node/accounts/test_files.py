# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account files as text, and what the steps do with them."""

from __future__ import annotations

import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import child, mounts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import (
    apply as accounts_apply,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import (
    files as account_files,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import (
    homes as account_homes,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import (
    lock as account_lock,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.files import Edit

PASSWD = "root:x:0:0:root:/root:/bin/bash\n# a note\nbob:x:5002:5002::/fsx/bob:/bin/sh\n+::::::\n"
GROUP = "root:x:0:\nsudo:x:27:bob,carol\n"


_HOLD = """
import fcntl, sys
with open(sys.argv[1], "a") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize(
    "file, before, edits, after",
    [
        ("passwd", PASSWD, [], PASSWD),
        ("passwd", PASSWD, [Edit("group", "bob", {"gid": "1"})], PASSWD),
        ("passwd", PASSWD, [Edit("passwd", "bob", {"shell": "/bin/bash"})], PASSWD.replace("/bin/sh", "/bin/bash")),
        ("passwd", PASSWD, [Edit("passwd", "bob")], PASSWD.replace("bob:x:5002:5002::/fsx/bob:/bin/sh\n", "")),
        ("passwd", PASSWD, [Edit("passwd", "nobody-there")], PASSWD),
        (
            "passwd",
            PASSWD,
            [Edit("passwd", "al", {"uid": "1", "gid": "2", "home": "/h", "shell": "/s"})],
            PASSWD + "al:x:1:2::/h:/s\n",
        ),
        *[  # characters that end no line for the system
            (
                "passwd",
                f"mal:x:9:9:Mal{char}bob:/fsx/mal:/bin/bash\nbob:x:2:2::/h:/s\n",
                [Edit("passwd", "bob", {"shell": "/z"})],
                f"mal:x:9:9:Mal{char}bob:/fsx/mal:/bin/bash\nbob:x:2:2::/h:/z\n",
            )
            for char in ("\u2028", "\u2029", "\x85", "\v", "\f", "\r", "\x1c", "\x1e")
        ],
        ("shadow", "", [Edit("shadow", "al", {"changed": "9", "expire": ""})], "al:*:9:0:99999:7:::\n"),
        ("shadow", "al:$6$x:9:0:99999:7:::\n", [Edit("shadow", "al", {"expire": "1"})], "al:$6$x:9:0:99999:7::1:\n"),
        ("gshadow", "", [Edit("gshadow", "al", {})], "al:!::\n"),
        ("group", GROUP, [Edit("group", "sudo", {}, add_members=("al", "bob"))], "root:x:0:\nsudo:x:27:bob,carol,al\n"),
        ("group", GROUP, [Edit("group", "sudo", {}, remove_members=("bob", "x"))], "root:x:0:\nsudo:x:27:carol\n"),
    ],
)
def test_edits_change_their_record_and_nothing_else(file: str, before: str, edits: list, after: str) -> None:
    assert account_files.apply_edits(file, before, edits) == after
    assert account_files.apply_edits(file, after, edits) == after


def test_a_step_rewrites_the_files_and_keeps_the_old_ones(tmp_path: pathlib.Path) -> None:
    (tmp_path / "passwd").write_text(PASSWD)
    (tmp_path / "shadow").write_text("bob:!:1:0:99999:7:::\n")
    os.chmod(tmp_path / "shadow", 0o640)
    edits = (Edit("shadow", "bob", {"password": "*"}), Edit("passwd", "bob", {"comment": "Bob"}))
    accounts_apply.Applier(str(tmp_path)).apply(Step("edit_accounts", {"edits": edits}, ()))
    assert "bob:x:5002:5002:Bob:/fsx/bob" in (tmp_path / "passwd").read_text()
    assert (tmp_path / "shadow").read_text() == "bob:*:1:0:99999:7:::\n"
    assert (tmp_path / "shadow").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "passwd-").read_text() == PASSWD
    assert sorted(path.name for path in tmp_path.iterdir()) == [".pwd.lock", "passwd", "passwd-", "shadow", "shadow-"]


def test_lines_of_others_stay_to_the_byte(tmp_path: pathlib.Path) -> None:
    odd = b"mal:x:9:9:a\r\xff\xc2\x85\xe2\x80\xa8b\x0c\x1c:/fsx/mal:/bin/bash\r\n"
    (tmp_path / "passwd").write_bytes(odd + PASSWD.encode())
    edits = (Edit("passwd", "bob", {"comment": "Bob"}),)
    accounts_apply.Applier(str(tmp_path)).apply(Step("edit_accounts", {"edits": edits}, ()))
    expected = account_files.apply_edits("passwd", PASSWD, edits).encode()
    assert (tmp_path / "passwd").read_bytes() == odd + expected
    assert (tmp_path / "passwd-").read_bytes() == odd + PASSWD.encode()


def test_somebody_else_at_the_account_files_is_not_waited_for_endlessly(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / ".pwd.lock")

    def second() -> None:
        with account_lock.held(path, timeout=0.2):
            pass

    with account_lock.held(path), pytest.raises(child.ChildFailed, match="held by another process"):
        child.run(second, timeout=10)


def test_somebody_else_at_the_account_files_is_waited_for(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / ".pwd.lock")
    first = subprocess.Popen([sys.executable, "-c", _HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == "held\n"
        refused, taken = threading.Event(), threading.Event()

        def second() -> None:
            with account_lock.held(path, timeout=30):
                taken.set()

        waiting = threading.Thread(target=second, daemon=True)
        real = fcntl.lockf

        def lockf(*arguments: int) -> None:
            try:
                real(*arguments)
            except OSError:
                refused.set()
                raise

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fcntl, "lockf", lockf)
            waiting.start()
            assert refused.wait(30)
            first.communicate("go\n", timeout=30)
            waiting.join(30)
        assert taken.is_set()
    finally:
        first.kill()
        first.wait()


def test_a_child_that_hangs_is_left_behind() -> None:
    started = time.monotonic()
    with pytest.raises(child.Hung):
        child.run(lambda: time.sleep(60), timeout=0.3)
    assert time.monotonic() - started < 5


def test_a_child_that_was_stopped_after_its_answer_is_not_waited_for() -> None:
    """Whoever it has become may stop it."""

    def work() -> None:
        os.closerange(3, 100)
        os.kill(os.getpid(), signal.SIGSTOP)

    with pytest.raises(child.ChildFailed, match=child.ENDED):
        child.run(work, timeout=10)


def test_a_child_holds_none_of_our_files_and_tells_its_error() -> None:
    reader, writer = os.pipe()
    try:
        assert child.run(lambda: len(os.listdir("/proc/self/fd")), timeout=10) == 5
        with pytest.raises(child.ChildFailed, match="No such file"):
            child.run(lambda: os.stat("/nowhere/at/all"), timeout=10)
    finally:
        os.close(reader)
        os.close(writer)


MOUNTS = mounts.parse(
    "/dev/vda / ext4 rw 0 0\n10.0.0.1@tcp:/x /fsx lustre rw 0 0\n"
    "fs:/ /my\\040home nfs4 rw 0 0\n/dev/vdb /data xfs rw 0 0\n"
)


@pytest.mark.parametrize(
    "path, mount",
    [
        ("/fsx/alice", "/fsx"),
        ("/fsx", "/fsx"),
        ("/fsxx/alice", "/"),
        ("/my home/a", "/my home"),
        ("/home/alice", "/"),
        ("/data/alice", "/data"),
    ],
)
def test_the_mount_that_a_path_lies_on(path: str, mount: str) -> None:
    found = mounts.covering(MOUNTS, path)
    assert found is not None and found.path == mount


def test_the_last_of_two_mounts_at_one_place_is_the_one_that_is_seen() -> None:
    found = mounts.covering(mounts.parse("a /fsx autofs rw 0 0\nb /fsx lustre rw 0 0\n"), "/fsx/alice")
    assert found is not None and found.type == "lustre"


def test_a_mount_of_a_user_is_no_line_of_its_own(tmp_path: pathlib.Path) -> None:
    """The kernel escapes blanks, line feeds and backslashes of a path, and nothing else."""
    table = tmp_path / "mounts"
    table.write_bytes(b"m /home/a/x\rb\x0c\xc2\x85c fuse.x rw 0 0\nm /home/a/\r\x0cb fuse.x\rm /fsx lustre\xff rw 0 0\n")
    assert [mount.path for mount in mounts.read(str(table))] == ["/home/a/x\rb\x0c\x85c", "/home/a/\r\x0cb"]
    assert not account_homes.mounted("/fsx", mounts.read(str(table)))


def test_a_root_without_a_mount_of_its_own_is_not_there() -> None:
    assert account_homes.mounted("/fsx", MOUNTS)
    assert not account_homes.mounted("/fsx", mounts.parse("/dev/vda / ext4 rw 0 0\n"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("mode, owner", [(0o1777, 0), (0o755, 0), (0o755, 5001)])
def test_a_home_belongs_to_its_user_whoever_may_write_above(tmp_path: pathlib.Path, mode: int, owner: int) -> None:
    storage, skeleton = tmp_path / "fsx", tmp_path / "skel"
    for folder in (*tmp_path.parents, tmp_path):
        if str(folder).startswith("/tmp/"):
            os.chmod(folder, 0o755)
    storage.mkdir()
    (skeleton / ".config").mkdir(parents=True)
    (skeleton / ".profile").write_text("PS1=x\n")
    os.chown(storage, owner, owner)
    os.chmod(storage, mode)
    home = storage / "alice"
    identity = child.Identity("alice", 5001, 5001)
    assert account_homes.make(home=str(home), identity=identity, mode=0o750, skeleton=str(skeleton)) is None
    assert (home.stat().st_uid, home.stat().st_gid, home.stat().st_mode & 0o7777) == (5001, 5001, 0o750)
    assert (home / ".profile").read_text() == "PS1=x\n"
    assert {path.stat().st_uid for path in home.iterdir()} == {5001}
    (home / ".profile").write_text("mine\n")
    account_homes.make(home=str(home), identity=identity, mode=0o750, skeleton=str(skeleton))
    assert (home / ".profile").read_text() == "mine\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
def test_a_home_that_storage_refuses_is_a_reason_not_an_error(tmp_path: pathlib.Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    reason = account_homes.make(
        home=str(blocked / "x" / "alice"), identity=child.Identity("alice", 5001, 5001), mode=0o750
    )
    assert reason == "Not a directory"
