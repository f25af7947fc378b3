# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of people who leave, also those that do not want to be found. Each test sees only what it started itself."""

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
    """A process of ``uid``, an orphan as those of people who logged out."""
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
    """Forks and ends at once, again and again: whoever reads /proc comes too late."""

    def body() -> None:
        os.dup2(sign.fileno(), 1)
        os.execvp("perl", ["perl", "-e", '$SIG{TERM} = "IGNORE"; while (1) { exit if fork; syswrite(STDOUT, ".") }'])

    return body


def there(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/status", "rb") as stream:
            return b"\nState:\tZ" not in stream.read() or len(os.listdir(f"/proc/{pid}/task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(condition: t.Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


def end(*, spare_jobs: bool = True, grace: float = 0.5, limit: float = 5.0) -> int:
    return process_end.end_processes("mallory", UID, spare_jobs=spare_jobs, grace=grace, limit=limit)


def traces() -> Leftovers:
    """Of a person whose account is gone from this node."""
    person = User("mallory", False, None, None, True, None, None, "/bin/sh", "/fsx/mallory", None, None, former_uids=(UID,))
    return leftovers.look([person], {}, spare_jobs=True, elsewhere={})["mallory"]


@pytest.mark.parametrize("comm", [b"sh\x0cUid: 0", b"x\x0cState: Z", b"x\rState: Z", b"\x85Uid: 0", b"\xff\x1cUid: 0"])
@alone
def test_a_name_hides_nobody(comm: bytes) -> None:
    pid = start(named(comm))
    eventually(lambda: Path(f"/proc/{pid}/comm").read_bytes() == comm + b"\n")
    assert traces().processes == (pid,)
    assert end() == 0
    assert not there(pid)


@alone
def test_a_process_whose_first_thread_ended_is_none_that_ended() -> None:
    pid = start(without_first_thread)
    eventually(lambda: b"\nState:\tZ" in Path(f"/proc/{pid}/status").read_bytes())
    assert traces().processes == (pid,)
    assert end() == 0
    assert not there(pid)


@pytest.mark.parametrize("spare_jobs", [True, False])
@alone
def test_a_chain_of_forks_ends(spare_jobs: bool) -> None:
    with tempfile.TemporaryFile() as sign:
        for _number in range(40):  # a look at /proc takes a while, as on a node
            start(sleep, OTHER)
        start(chain(sign))
        eventually(lambda: os.fstat(sign.fileno()).st_size > 20)
        assert all(traces().processes for _look in range(5))
        assert end(spare_jobs=spare_jobs) == 0
        before = os.fstat(sign.fileno()).st_size
        time.sleep(0.3)
        assert os.fstat(sign.fileno()).st_size == before


@alone
def test_others_are_left_alone() -> None:
    theirs, roots = start(sleep, OTHER), start(sleep, 0)
    assert traces() == Leftovers()
    pid = start(stubborn)
    assert end(spare_jobs=False) == 0
    assert traces() == Leftovers()
    assert (there(pid), there(theirs), there(roots)) == (False, True, True)


@pytest.mark.parametrize("uid", [0, 1, 999, 65534, 65535, -1, 4294967295])
@alone
def test_accounts_of_the_system_are_refused(uid: int) -> None:
    pid = start(sleep, 999)
    with pytest.raises(Refused, match="does not belong to a person"):
        process_end.end_processes("root", uid, spare_jobs=False, grace=0.0, limit=0.5)
    assert there(pid)


@alone
def test_one_that_ended_and_was_not_asked_for_is_nothing() -> None:
    pid = os.fork()
    if pid == 0:
        os.setuid(UID)
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert (traces().processes, end()) == ((), 0)


@alone
def test_processes_that_kill_whoever_comes_near() -> None:
    """A process that ends all others of its UID, again and again, ends whoever becomes that UID to end it, too."""

    def body() -> None:
        while True:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)

    pid = start(body)
    assert len(traces().processes) == 1
    assert end(spare_jobs=False) == 0
    assert not there(pid)


@alone
def test_processes_of_containers_end() -> None:
    """Their UIDs are those of /etc/subuid, in a user namespace that the person made, or out of one through a setuid bit."""
    files = Path(tempfile.mkdtemp())
    files.joinpath("subuid").write_text(f"{UID}:5000000:10\nmallory:6000000:10\nbob:7000000:10\nmallory:998:5\n")
    _over("/etc/subuid", files / "subuid")
    container = start(_in_own_namespace)
    eventually(lambda: os.stat(f"/proc/{container}/ns/user").st_ino != os.stat("/proc/self/ns/user").st_ino)
    theirs = [container, start(sleep, 5000003), start(sleep, 6000009)]
    others = [start(sleep, 7000001), start(sleep, 999), start(sleep, 5000010)]
    assert set(traces().processes) == set(theirs)
    assert end() == 0
    assert [there(pid) for pid in theirs + others] == [False] * 3 + [True] * 3


def _in_own_namespace() -> None:
    if LIBC.unshare(0x10000000) == 0:
        sleep()


def _over(path: str, source: Path) -> None:
    if not Path(path).exists():
        pytest.skip(f"{path} is not there to be replaced")
    assert LIBC.mount(str(source).encode(), path.encode(), None, 1 << 12, None) == 0


@alone
def test_an_account_goes_after_its_last_process() -> None:
    """What can't be ended yet holds the record, the group and the subordinate IDs; a later run goes on."""
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
    assert there(pid)

    accounts_apply._LIMIT_SECONDS, accounts_apply._GRACE_SECONDS = 5.0, 0.1
    applier = accounts_apply.Applier(str(etc))
    for step in steps[1:]:
        applier(step)
    assert {(etc / file).read_text() for file in records} == {""}
    assert not there(pid)


def leaving_plan() -> Plan:
    params = {"users": [{"name": "mallory", "state": "absent"}], "spare_jobs": True}
    desired = options.desired(ArgumentSpecValidator(SPEC).validate(params).validated_parameters)
    assert desired.problems == ()
    found = dataclasses.replace(traces(), subordinate=("/etc/subuid: mallory:5000000:10",))
    account = Account("mallory", UID, UID, "", "/fsx/mallory", "/bin/bash", "none")
    groups = {"mallory": LocalGroup("mallory", UID, ())}
    return plan(desired, State(0, {"mallory": account}, groups, leftovers={"mallory": found}))


@alone
def test_a_number_that_was_given_to_somebody_else_is_not_hit() -> None:
    pid = start(sleep, OTHER)
    process = processes.see(pid)
    assert process is not None
    process_end._send(dataclasses.replace(process, uids=(UID, UID, UID)), signal.SIGKILL)
    time.sleep(0.05)
    assert there(pid)


@alone
def test_a_machine_that_has_no_process_left_for_us_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pid, real, refused = start(stubborn), os.fork, []

    def fork() -> int:
        if len(refused) < 3:
            refused.append(True)
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return real()

    monkeypatch.setattr(os, "fork", fork)
    process_end.kill_all(UID)
    eventually(lambda: not there(pid))
    assert len(refused) == 3


@alone
def test_a_child_that_did_not_become_the_person_signals_nobody() -> None:
    pid = start(sleep, 0)
    with pytest.raises(PermissionError):
        process_end._kill_all_as(UID)
    assert there(pid)


@alone
def test_jobs_are_spared_while_the_rest_ends() -> None:
    """A slurmstepd of root is the ancestor of what Slurm started."""
    reader, writer = os.pipe()

    def step() -> None:
        LIBC.prctl(SET_NAME, b"slurmstepd", 0, 0, 0)
        if os.fork() == 0:
            os.setuid(UID)
            os.write(writer, str(os.getpid()).encode())
            while True:  # as a job that runs one short program after the other
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
    assert (there(pid), there(job)) == (False, True)
    assert end(spare_jobs=False) == 0
    assert not there(job)


def test_the_slice_of_a_person_is_ended_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / f"user-{UID}.slice"
    place.mkdir()
    monkeypatch.setattr(process_end, "_SLICE", f"{tmp_path}/user-{{uid}}.slice/cgroup.kill")
    job = processes.Process(os.getpid(), "python", (UID, UID, UID), 1, True)
    process_end._kill_the_rest(UID, [job])
    assert (place / "cgroup.kill").read_text() == "1"
