# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ssh wrapper, run as ssh runs it, with a replacement for the AWS CLI."""

from __future__ import annotations

import functools
import hashlib
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssh_jump, ssh_log, ssm_cli
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import ssm_proxy

AWS = """#!/bin/sh
echo "$@" >>"$LOG"
echo "attempts $AWS_MAX_ATTEMPTS" >>"$LOG"
tries=$(grep -c start-session "$LOG")
if [ "$tries" -le "${FAILURES:-0}" ]; then
  echo >&2
  echo "An error occurred ($ERROR) when calling the StartSession operation (reached max retries: 0): ${ERROR_TEXT:-Rate exceeded}" >&2
  exit 254
fi
[ -z "$SLOW" ] || { echo $$ >"$LOG.pid"; exec sleep 60; }
[ -z "$BROKEN" ] || { echo "Cannot perform start session: EOF" >&2; exit 3; }
exec cat
"""


class Bench:
    """A PATH with only the replacement programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.put("aws", AWS)
        self.put("session-manager-plugin", "#!/bin/sh\necho 1.2.764.0\n")
        self.log = folder / "log"

    def put(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def command(self, *more: str) -> list[str]:
        base = [
            sys.executable,
            "-S",
            "-E",
            os.path.realpath(ssm_proxy.__file__),
            "--target",
            "sagemaker-cluster:x_Y-i-1",
        ]
        return [*base, "--region", "us-west-2", "--state-dir", str(self.folder / "state"), *more]

    def environment(self, **variables: str) -> dict[str, str]:
        path = f"{self.bin}:/usr/bin:/bin"
        return {"PATH": path, "HOME": str(self.folder), "LOG": str(self.log), **variables}

    def run(self, *more: str, data: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
        environment = self.environment(**variables)
        return subprocess.run(
            self.command(*more), input=data, env=environment, capture_output=True, timeout=60, check=False
        )

    def starts(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if "start-session" in line]


@pytest.fixture(name="bench")
def _bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_stream_passes_unchanged_in_both_directions(bench: Bench) -> None:
    data = random.Random(1).randbytes(3_000_000)
    done = bench.run("--profile", "research", "--port", "2222", data=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(data).digest()
    assert bench.starts() == [
        "ssm start-session --target sagemaker-cluster:x_Y-i-1 --region us-west-2 --profile research "
        "--document-name AWS-StartSSHSession --parameters portNumber=2222"
    ]


@pytest.mark.parametrize("error", ["ThrottlingException", "TargetNotConnected"])
def test_a_transient_error_is_retried_without_loss_of_input(bench: Bench, error: str) -> None:
    done = bench.run(data=b"SSH-2.0-client\r\n", FAILURES="2", ERROR=error)
    assert (done.returncode, done.stdout) == (0, b"SSH-2.0-client\r\n")
    assert len(bench.starts()) == 3
    assert "attempts 1" in bench.log.read_text()


def test_a_permanent_error_is_printed_once_and_leaves_stdout_empty(bench: Bench) -> None:
    done = bench.run(FAILURES="99", ERROR="AccessDeniedException")
    assert (done.returncode, done.stdout, len(bench.starts())) == (255, b"", 1)
    assert b"ssm-proxy: sagemaker-cluster:x_Y-i-1: AccessDeniedException: Rate exceeded (tries: 1)" in done.stderr


def test_the_deadline_ends_the_retries(bench: Bench) -> None:
    done = bench.run("--deadline", "0", FAILURES="99", ERROR="ThrottlingException")
    assert (done.returncode, done.stdout, len(bench.starts())) == (255, b"", 1)


@pytest.mark.parametrize("error, starts", [("TargetNotConnected", 1), ("ThrottlingException", 2)])
def test_a_disconnected_node_is_given_up_before_the_deadline(bench: Bench, error: str, starts: int) -> None:
    bench.run("--patience", "0", FAILURES="1", ERROR=error)
    assert len(bench.starts()) == starts


def test_the_wait_for_other_sessions_does_not_count_as_a_retry(bench: Bench) -> None:
    queue = bench.folder / "state" / "throttle-default-us-west-2"
    queue.parent.mkdir()
    queue.write_text(str(time.time() + 2))
    done = bench.run("--patience", "1.5", FAILURES="1", ERROR="TargetNotConnected")
    assert (done.returncode, len(bench.starts())) == (0, 2)


def test_a_broken_session_is_not_started_again(bench: Bench) -> None:
    done = bench.run(BROKEN="1")
    assert (done.returncode, len(bench.starts())) == (3, 1)
    assert b"Cannot perform start session: EOF" in done.stderr


PASSING = [
    "ThrottlingException",
    "Throttling",
    "TooManyRequestsException",
    "RequestLimitExceeded",
    "TargetNotConnected",
    "InternalServerError",
    "ServiceUnavailable",
    "ServiceUnavailableException",
]


@pytest.mark.parametrize(
    "code, passes", [*((code, True) for code in PASSING), ("AccessDeniedException", False), ("InvalidDocument", False)]
)
def test_transient_errors_are_recognised(code: str, passes: bool) -> None:
    assert (code in ssm_cli.PASSING) == passes


@pytest.mark.parametrize(
    "version, good",
    [
        ("1.2.764.0", True),
        ("1.2.999.0", True),
        ("1.3", False),
        ("1.10.1.0", True),
        ("2.0.0", True),
        ("1.2.763.9", False),
        ("1.2.497.0", False),
        ("1.1.9999.0", False),
        ("", False),
        ("The plugin was installed successfully. \x1b[2J", False),
    ],
)
def test_an_old_plugin_is_refused_before_it_gets_a_token(bench: Bench, version: str, good: bool) -> None:
    bench.put("session-manager-plugin", f"#!/bin/sh\necho '{version}'\n")
    done = bench.run(data=b"hello")
    if good:
        assert (done.returncode, done.stdout, len(bench.starts())) == (0, b"hello", 1)
        return
    assert (done.returncode, done.stdout, bench.log.exists()) == (127, b"", False)
    reason = f"must be version 1.2.764.0 or newer, but its version is {version!r}; install a newer Session Manager plugin"
    assert reason.encode() in done.stderr


def test_the_error_of_the_cli_is_one_printable_line(bench: Bench) -> None:
    done = bench.run(FAILURES="99", ERROR="AccessDeniedException", ERROR_TEXT="\x1b[2Jno\u202e\u2028role")
    assert b"\x1b" not in done.stderr and "\u202e" not in done.stderr.decode()
    assert "AccessDeniedException: ?[2Jno? role (tries: 1)\n" in done.stderr.decode()


@pytest.mark.parametrize("program", ["aws", "session-manager-plugin"])
def test_a_missing_program_is_named(bench: Bench, program: str) -> None:
    (bench.bin / program).unlink()
    environment = bench.environment()
    environment["PATH"] = str(bench.bin)
    # A Python without the AWS CLI in its folder: the folder of the running Python may contain aws.
    command = [os.path.join("/usr/bin", "python3"), *bench.command()[1:]]
    if not os.path.exists(command[0]) or os.path.exists(f"/usr/bin/{program}"):
        pytest.skip("needs /usr/bin/python3 without the AWS tools in its folder")
    done = subprocess.run(command, env=environment, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (127, b"")
    assert f"ssm-proxy: sagemaker-cluster:x_Y-i-1: {program} was not found on PATH".encode() in done.stderr


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_ends_the_session(bench: Bench, number: int) -> None:
    reset = functools.partial(signal.signal, number, signal.SIG_DFL)  # nohup ignores SIGHUP
    environment = bench.environment(SLOW="1")
    process = subprocess.Popen(bench.command(), stdin=subprocess.PIPE, env=environment, preexec_fn=reset)  # noqa: PLW1509
    pid_file = Path(f"{bench.log}.pid")
    for _turn in range(200):
        if pid_file.exists() and pid_file.read_text().strip():
            break
        time.sleep(0.05)
    session = int(pid_file.read_text())
    process.send_signal(number)
    assert process.wait(10) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(session, 0)


EARLY = """
import os, signal, subprocess, sys
sys.path.insert(0, sys.argv[1])
import ssm_proxy
real = subprocess.Popen
def signalled(*arguments, **options):
    os.kill(os.getpid(), signal.SIGTERM)
    return real(*arguments, **options)
ssm_proxy.subprocess.Popen = signalled
sys.exit(ssm_proxy.run(["sleep", "60"])[0])
"""


def test_a_signal_before_the_session_ends_the_wrapper(bench: Bench) -> None:
    command = [sys.executable, "-c", EARLY, os.path.dirname(os.path.realpath(ssm_proxy.__file__))]
    assert subprocess.run(command, env=bench.environment(), timeout=30, check=False).returncode == 128 + signal.SIGTERM


def test_the_reason_is_logged_if_ssh_hides_stderr(bench: Bench) -> None:
    """With ControlPersist, ssh does not show the output of its ProxyCommand."""
    command = shlex.join(bench.command())
    options = ["-o", "ControlMaster=auto", "-o", "ControlPersist=5", "-o", f"ControlPath={bench.folder}/s"]
    done = subprocess.run(
        ["ssh", "-F", "none", *options, "-o", f"ProxyCommand={command}", "node", "true"],
        env=bench.environment(FAILURES="99", ERROR="AccessDeniedException"),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 255 and b"AccessDenied" not in done.stderr
    log = bench.folder / "state" / "ssm-proxy.log"
    assert log.stat().st_mode & 0o777 == 0o600
    assert ssh_log.last(str(log.parent), ["i-1"], since="2000") == (
        "sagemaker-cluster:x_Y-i-1: AccessDeniedException: Rate exceeded (tries: 1)"
    )
    assert ssh_log.last(str(log.parent), ["i-1"], since="9999") is None
    assert ssh_log.last(str(log.parent), ["i", "x_Y"], since="2000") is None


def test_a_large_log_is_started_again(tmp_path: Path) -> None:
    (tmp_path / "ssm-proxy.log").write_text("x" * (ssh_log.LARGEST + 1))
    ssh_log.note(str(tmp_path), "i-2: one\n two")
    assert ssh_log.last(str(tmp_path), ["i-2"], since="2000") == "i-2: one two"
    assert (tmp_path / "ssm-proxy.log.1").stat().st_size == ssh_log.LARGEST + 1


@pytest.mark.parametrize("length", [20, 60, 120])
def test_the_path_of_a_shared_connection_fits_into_a_socket_address(length: int, tmp_path: Path) -> None:
    folder = tmp_path / ("d" * max(1, length - len(str(tmp_path))))
    path = ssh_jump.control_path(str(folder), "0123456789ab")
    assert len(path) + 17 < 108
    assert ssh_jump.control_path(str(folder), "0123456789ac") != path
    if length == 120:
        assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
