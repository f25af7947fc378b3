# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts in sessions, with a real shell on a real terminal instead of the node."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import session, ssm_cli, terminal as terminal_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.terminal import Silent, Terminal, plain

TOKEN = "0123456789abcdef"

SHELL = 'echo "Starting session with SessionId: ops-0123"\nexec sh -i\n'
BANNER = (
    'printf "\\033[1mWelcome\\033[0m to the node\\r\\n"\nPS1="\\033]0;title\\007root@node:~# " exec bash --norc -i\n'
)
NO_INPUT_AT_FIRST = 'echo "Starting session with SessionId: ops-0123"\nstty -echo; timeout 1 cat >/dev/null\nexec bash --norc -i\n'
NARROW = "stty cols 40 rows 10\nexec bash --norc -i\n"
EMPTY = 'echo "Starting session with SessionId: ops-0123"\necho "Cannot perform start session: EOF"\nexit 0\n'
SCRIPT = 'for i in 1 2 3; do echo "line $i $(printf %0300d 7)"; done; echo \'quotes " and $dollars\'; cat; echo end\n'
ANSWER = "".join(f"line {i} {7:0300d}\n" for i in (1, 2, 3)) + 'quotes " and $dollars\nend\n'


def throttled(code: str) -> str:
    return f'echo "An error occurred ({code}) when calling the StartSession operation: Rate exceeded" >&2\nexit 254\n'


class Bench:
    """A PATH on which aws behaves differently at each call."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        (folder / "session-manager-plugin").write_text("#!/bin/sh\necho 1.2.764.0\n")
        (folder / "session-manager-plugin").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        monkeypatch.setattr(ssm_cli, "FIRST_PAUSE", 0.01)

    def calls(self, *behaviours: str) -> None:
        """Set what ``aws`` does at the first call, at the second, and so on. The last behaviour is repeated."""
        cases = "".join(f"{number}) {text};;\n" for number, text in enumerate(behaviours[:-1], 1))
        count = f'echo "$@" >>{self.folder}/log\n'
        text = f"#!/bin/bash\n{count}case $(wc -l <{self.folder}/log) in\n{cases}*) {behaviours[-1]};;\nesac\n"
        (self.folder / "aws").write_text(text)
        (self.folder / "aws").chmod(0o755)

    def route(self, timeout: float = 60) -> session.Route:
        return session.Route(
            target="sagemaker-cluster:x_Y-i-1",
            region="us-west-2",
            profile="research",
            account="111111111111",
            state_dir=str(self.folder / "state"),
            timeout=timeout,
        )

    def made(self) -> list[str]:
        return (self.folder / "log").read_text().splitlines()


@pytest.fixture(name="bench")
def _bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


@pytest.mark.parametrize("shell", [SHELL, BANNER, NO_INPUT_AT_FIRST, NARROW], ids=["sh", "banner", "no input at first", "narrow"])
def test_the_answer_is_complete(bench: Bench, shell: str) -> None:
    bench.calls(shell)
    assert session.run_script(bench.route(), SCRIPT) == ANSWER
    assert bench.made() == [
        "ssm start-session --target sagemaker-cluster:x_Y-i-1 --region us-west-2 --profile research"
    ]


NO_OUTPUT = 'echo "Starting session with SessionId: ops-0123"\nexec sleep 300\n'


@pytest.mark.parametrize("first", [EMPTY, throttled("ThrottlingException"), throttled("TargetNotConnected")])
def test_an_empty_or_throttled_session_is_retried(bench: Bench, first: str) -> None:
    bench.calls(first, SHELL)
    assert session.run_script(bench.route(), "echo hello") == "hello\n"
    assert len(bench.made()) == 2


def test_sessions_without_a_reply_fail_with_the_number_of_tries(bench: Bench) -> None:
    bench.calls(EMPTY)
    with pytest.raises(session.SessionFailed, match=r"ended without a reply: Cannot perform .* EOF \(tries: 5\)"):
        session.run_script(bench.route(), "echo hello")
    assert len(bench.made()) == session.SESSIONS


def test_a_refused_data_channel_is_suggested_as_the_reason(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "HELLO_TIMEOUT", 0.2)
    monkeypatch.setattr(session, "HELLO_EVERY", 0.1)
    bench.calls(NO_OUTPUT)
    with pytest.raises(session.NoGreeting) as caught:
        session.run_script(bench.route(), "echo hello")
    assert str(caught.value) == (
        "the shell did not reply (tries: 2): does the IAM role of this run allow ssmmessages:OpenDataChannel?"
    )
    assert len(bench.made()) == 2


def test_a_shell_may_reply_at_the_second_try(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "HELLO_TIMEOUT", 0.2)
    bench.calls(NO_OUTPUT, SHELL)
    assert session.run_script(bench.route(), "echo hello") == "hello\n"


def test_a_refused_session_is_not_retried(bench: Bench) -> None:
    bench.calls(throttled("AccessDeniedException"))
    with pytest.raises(session.SessionFailed, match="AccessDeniedException: Rate exceeded"):
        session.run_script(bench.route(), "echo hello")
    assert len(bench.made()) == 1


def test_a_session_that_hangs_is_killed_with_all_its_processes(bench: Bench) -> None:
    bench.calls(f"echo $$ >{bench.folder}/pid\nsleep 300")
    began = time.monotonic()
    with pytest.raises(session.SessionFailed, match="the shell did not reply"):
        session.run_script(bench.route(timeout=4), "echo hello")
    assert time.monotonic() - began < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int((bench.folder / "pid").read_text()), 0)


def encoded(text: str, *, drop: int | None = None) -> str:
    body = base64.b64encode(text.encode()).decode()
    lines = [f"{TOKEN}|{body[start : start + 60]}" for start in range(0, len(body), 60)]
    return "\r\n".join(line for number, line in enumerate(lines) if number != drop)


def test_echo_and_prompts_between_the_lines_are_ignored() -> None:
    echoed = 'printf \'%s\\n\' "$A" | base64 -w 60 | sed "s/^/$N|/"\r\n# '
    checksum = hashlib.sha256(ANSWER.encode()).hexdigest()
    assert session.decode(plain(echoed + encoded(ANSWER) + "\r\n# "), TOKEN, checksum) == ANSWER


@pytest.mark.parametrize("text", ["", "# ", encoded(ANSWER, drop=1), encoded("other\n")])
def test_an_incomplete_answer_counts_as_none(text: str) -> None:
    with pytest.raises(Silent):
        session.decode(plain(text), TOKEN, hashlib.sha256(ANSWER.encode()).hexdigest())


def test_the_program_has_a_controlling_terminal(tmp_path: Path) -> None:
    terminal = Terminal(["/bin/sh", "-c", "stty -F /dev/tty size; exit"], environment=dict(os.environ))
    try:
        assert terminal.expect(r"(\d+) (\d+)\n", timeout=10).groups() == ("50", "500")
    finally:
        terminal.close()


def test_reading_endless_output_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node may print forever. The controller keeps only a part of it, and other sessions continue."""
    monkeypatch.setattr(terminal_module, "LARGEST", 100_000)
    terminal = Terminal(["/bin/sh", "-c", "yes"], environment=dict(os.environ))
    try:
        with pytest.raises(Silent, match="more than 100000 unexpected characters"):
            terminal.expect("never", timeout=60)
        assert terminal._text == ""
    finally:
        terminal.close(patience=0.1)
