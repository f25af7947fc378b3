# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of all processes of a removed user, including hostile ones. Each test sees only its own processes."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import errno
import os
import signal
import tempfile
import threading
import time
import typing as t
from pathlib import Path

import pytest
from alone import alone
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Postponed, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import process_end, processes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import apply as accounts_apply, leftovers, options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import (
    Account,
    Leftovers,
    LocalGroup,
    State,
    User,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.modules.accounts import SPEC

UID, OTHER = 4242420, 4242421
LIBC = ctypes.CDLL(None, use_errno=True)
SET_NAME = 15


def start(body: t.Callable[[], None], uid: int = UID) -> int:
    """Start a process of ``uid`` without a parent, like one that survived a logout."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        os.setsid()
        os.setgid(uid)
        os.setuid(uid)
        os.write(writer, str(os.getpid()).encode())
        try:
            body()
        finally:
            os._exit(0)
    os.close(writer)
    os.wait()
    return int(os.read(reader, 20))


def sleep() -> None:
    time.sleep(120)


def named(comm: bytes) -> t.Callable[[], None]:
    def body() -> None:
        LIBC.prctl(SET_NAME, ctypes.c_char_p(comm), 0, 0, 0)
        sleep()

    return body


def stubborn() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep()


def without_first_thread() -> None:
    threading.Thread(target=sleep).start()
    LIBC.pthread_exit(None)


def chain(sign: t.IO[bytes]) -> t.Callable[[], None]:
    """Fork and exit in a loop, faster than /proc can be read."""

    def body() -> None:
        os.dup2(sign.fileno(), 1)
        os.execvp("perl", ["perl", "-e", '$SIG{TERM} = "IGNORE"; while (1) { exit if fork; syswrite(STDOUT, ".") }'])

    return body


def exists(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/status", "rb") as stream:
            return b"\nState:\tZ" not in stream.read() or len(os.listdir(f"/proc/{pid}/task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(condition: t.Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true within 10 s"
        time.sleep(0.01)


def end(*, spare_jobs: bool = True, grace: float = 0.5, limit: float = 5.0) -> int:
    return process_end.end_processes("mallory", UID, spare_jobs=spare_jobs, grace=grace, limit=limit)


def traces() -> Leftovers:
    """The leftovers of a user whose account was removed from this node."""
    person = User("mallory", False, None, None, True, None, None, "/bin/sh", "/fsx/mallory", None, None, former_uids=(UID,))
    return leftovers.look([person], {}, spare_jobs=True, elsewhere={})["mallory"]


@pytest.mark.parametrize("comm", [b"sh\x0cUid: 0", b"x\x0cState: Z", b"x\rState: Z", b"\x85Uid: 0", b"\xff\x1cUid: 0"])
@alone
def test_a_name_hides_no_process(comm: bytes) -> None:
    pid = start(named(comm))
    eventually(lambda: Path(f"/proc/{pid}/comm").read_bytes() == comm + b"\n")
    assert traces().processes == (pid,)
    assert end() == 0
    assert not exists(pid)


@alone
def test_a_process_whose_first_thread_ended_still_runs() -> None:
    pid = start(without_first_thread)
    eventually(lambda: b"\nState:\tZ" in Path(f"/proc/{pid}/status").read_bytes())
    assert traces().processes == (pid,)
    assert end() == 0
    assert not exists(pid)


@pytest.mark.parametrize("spare_jobs", [True, False])
@alone
def test_a_chain_of_forks_ends(spare_jobs: bool) -> None:
    with tempfile.TemporaryFile() as sign:
        for _number in range(40):  # reading /proc takes a while, as on a node
            start(sleep, OTHER)
        start(chain(sign))
        eventually(lambda: os.fstat(sign.fileno()).st_size > 20)
        assert all(traces().processes for _read in range(5))
        assert end(spare_jobs=spare_jobs) == 0
        before = os.fstat(sign.fileno()).st_size
        time.sleep(0.3)
        assert os.fstat(sign.fileno()).st_size == before


@alone
def test_processes_of_others_are_left_alone() -> None:
    other, of_root = start(sleep, OTHER), start(sleep, 0)
    assert traces() == Leftovers()
    pid = start(stubborn)
    assert end(spare_jobs=False) == 0
    assert traces() == Leftovers()
    assert (exists(pid), exists(other), exists(of_root)) == (False, True, True)


@pytest.mark.parametrize("uid", [0, 1, 999, 65534, 65535, -1, 4294967295])
@alone
def test_accounts_of_the_system_are_refused(uid: int) -> None:
    pid = start(sleep, 999)
    with pytest.raises(Refused, match="does not belong to a user"):
        process_end.end_processes("root", uid, spare_jobs=False, grace=0.0, limit=0.5)
    assert exists(pid)


@alone
def test_a_zombie_does_not_count() -> None:
    pid = os.fork()
    if pid == 0:
        os.setuid(UID)
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert (traces().processes, end()) == ((), 0)


@alone
def test_a_process_that_kills_all_others_of_its_uid_is_ended() -> None:
    """It also kills any process that takes its UID to end it."""

    def body() -> None:
        while True:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)

    pid = start(body)
    assert len(traces().processes) == 1
    assert end(spare_jobs=False) == 0
    assert not exists(pid)


@alone
def test_processes_of_containers_are_ended() -> None:
    """Their UIDs are those of /etc/subuid, in a user namespace or outside of one through a setuid bit."""
    files = Path(tempfile.mkdtemp())
    files.joinpath("subuid").write_text(f"{UID}:5000000:10\nmallory:6000000:10\nbob:7000000:10\nmallory:998:5\n")
    _over("/etc/subuid", files / "subuid")
    container = start(_in_own_namespace)
    eventually(lambda: os.stat(f"/proc/{container}/ns/user").st_ino != os.stat("/proc/self/ns/user").st_ino)
    own = [container, start(sleep, 5000003), start(sleep, 6000009)]
    others = [start(sleep, 7000001), start(sleep, 999), start(sleep, 5000010)]
    assert set(traces().processes) == set(own)
    assert end() == 0
    assert [exists(pid) for pid in own + others] == [False] * 3 + [True] * 3


def _in_own_namespace() -> None:
    if LIBC.unshare(0x10000000) == 0:
        sleep()


def _over(path: str, source: Path) -> None:
    if not Path(path).exists():
        pytest.skip(f"{path} does not exist")
    assert LIBC.mount(str(source).encode(), path.encode(), None, 1 << 12, None) == 0


@alone
def test_an_account_is_removed_after_its_last_process() -> None:
    """While a process cannot be ended, the record, the group and the subordinate IDs stay. A later run continues."""
    etc = Path(tempfile.mkdtemp())
    records = {
        "passwd": f"mallory:x:{UID}:{UID}::/fsx/mallory:/bin/bash\n",
        "shadow": "mallory:!:1::::::\n",
        "group": f"mallory:x:{UID}:\n",
        "gshadow": "mallory:!::\n",
        "subuid": "mallory:5000000:10\n",
    }
    for file, text in records.items():
        (etc / file).write_text(text)
    pid = start(stubborn)
    eventually(lambda: int(processes._status(f"/proc/{pid}/status")["SigIgn"], 16) & 1 << signal.SIGTERM - 1)
    steps = [step for step in leaving_plan().steps if step.operation != "remove_file"]
    assert [step.operation for step in steps] == [
        "edit_accounts",
        "end_processes",
        "edit_accounts",
        "remove_subordinate",
    ]
    accounts_apply._LIMIT_SECONDS = 0.0
    applier = accounts_apply.Applier(str(etc))
    for step in steps[1:]:
        with pytest.raises(Postponed):
            applier(step)
    assert {file: (etc / file).read_text() for file in records} == records
    assert exists(pid)

    accounts_apply._LIMIT_SECONDS, accounts_apply._GRACE_SECONDS = 5.0, 0.1
    applier = accounts_apply.Applier(str(etc))
    for step in steps[1:]:
        applier(step)
    assert {(etc / file).read_text() for file in records} == {""}
    assert not exists(pid)


def leaving_plan() -> Plan:
    params = {"users": [{"name": "mallory", "state": "absent"}], "spare_jobs": True}
    desired = options.desired(ArgumentSpecValidator(SPEC).validate(params).validated_parameters)
    assert desired.problems == ()
    found = dataclasses.replace(traces(), subordinate=("/etc/subuid: mallory:5000000:10",))
    account = Account("mallory", UID, UID, "", "/fsx/mallory", "/bin/bash", "none")
    groups = {"mallory": LocalGroup("mallory", UID, ())}
    return plan(desired, State(0, {"mallory": account}, groups, leftovers={"mallory": found}))


@alone
def test_a_pid_that_was_reused_by_another_user_gets_no_signal() -> None:
    pid = start(sleep, OTHER)
    process = processes.see(pid)
    assert process is not None
    process_end._send(dataclasses.replace(process, uids=(UID, UID, UID)), signal.SIGKILL)
    time.sleep(0.05)
    assert exists(pid)


@alone
def test_a_failed_fork_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    pid, real, refused = start(stubborn), os.fork, []

    def fork() -> int:
        if len(refused) < 3:
            refused.append(True)
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return real()

    monkeypatch.setattr(os, "fork", fork)
    process_end.kill_all(UID)
    eventually(lambda: not exists(pid))
    assert len(refused) == 3


@alone
def test_a_child_that_could_not_change_its_uid_sends_no_signal() -> None:
    pid = start(sleep, 0)
    with pytest.raises(PermissionError):
        process_end._kill_all_as(UID)
    assert exists(pid)


@alone
def test_jobs_are_spared_while_other_processes_end() -> None:
    """A slurmstepd of root is the ancestor of all processes of a job."""
    reader, writer = os.pipe()

    def step() -> None:
        LIBC.prctl(SET_NAME, b"slurmstepd", 0, 0, 0)
        if os.fork() == 0:
            os.setuid(UID)
            os.write(writer, str(os.getpid()).encode())
            while True:  # like a job that runs one short program after another
                if os.fork() == 0:
                    os._exit(0)
                os.wait()
        sleep()

    start(step, 0)
    job = int(os.read(reader, 20))
    pid = start(stubborn)
    found = traces()
    assert found.processes == (pid,) and job in found.jobs
    assert end() == 0
    assert (exists(pid), exists(job)) == (False, True)
    assert end(spare_jobs=False) == 0
    assert not exists(job)


def test_the_slice_of_a_user_is_killed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / f"user-{UID}.slice"
    place.mkdir()
    monkeypatch.setattr(process_end, "_SLICE", f"{tmp_path}/user-{{uid}}.slice/cgroup.kill")
    job = processes.Process(os.getpid(), "python", (UID, UID, UID), 1, True)
    process_end._kill_the_rest(UID, [job])
    assert (place / "cgroup.kill").read_text() == "1"
