# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One script through one SSM shell session, or several sessions where the first ones stay silent.

The session is a terminal: it echoes, prompts, wraps, and sometimes ends without output although the command ran
(facts of the service). So every line that we wait for holds a number that is not in what we type, the script goes
over in acknowledged pieces, and its answer comes back encoded, with a checksum.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import secrets
import time
import typing as t
from dataclasses import dataclass

from .._core.text import lines_of
from . import ssm_cli
from .terminal import Ended, Silent, Terminal
from .throttle import take_slot

PIECE = 900
"""Characters a line; terminals cut input at 4,096 and some at 1,024."""
HELLO = "unset HISTFILE"
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The shell may be root's."""
ANNOUNCED_WITHIN = 30.0
"""Seconds until the plugin reports the start of a session; a busy controller starts the AWS CLI slowly."""
HELLO_TIMEOUT = 15.0
HELLO_EVERY = 3.0
SESSIONS = 5
"""Sessions that may stay without an answer."""
GREETINGS = 2
"""Sessions in which the shell may not greet. A refused data channel is silence, and stays so."""


class SessionFailed(Exception):
    """No answer from the node; the reason in words."""


class NoGreeting(SessionFailed):
    """Sessions started, but no shell replied in them."""


class Mute(Silent):
    """The shell did not greet."""


@dataclass(frozen=True)
class Route:
    """How a node's shell is reached."""

    target: str
    region: str
    profile: str | None
    account: str
    state_dir: str
    """Where the throttle of all processes lies."""
    timeout: float
    """Seconds for all tries together."""


def run_script(route: Route, script: str) -> str:
    """Run ``script`` as root on the node and return its output.

    :raises NoGreeting: when sessions began and their shells did not greet.
    :raises SessionFailed: when no session came to be, or none answered.
    """
    deadline = time.monotonic() + route.timeout
    try:
        command = ssm_cli.session_command(target=route.target, region=route.region, profile=route.profile)
    except ssm_cli.MissingProgram as error:
        raise SessionFailed(str(error)) from error
    silent = mute = 0
    for retry in range(ssm_cli.TRIES):
        take_slot(route.state_dir, ssm_cli.slot_key(route.account, route.profile, route.region))
        try:
            return _one_session(command, script, deadline)
        except Mute as error:
            mute += 1
            if mute >= GREETINGS or time.monotonic() >= deadline:
                raise NoGreeting(
                    f"no reply, {error} (tries: {mute}): does the role allow ssmmessages:OpenDataChannel?"
                ) from error
            reason = str(error)
        except Silent as error:
            silent += 1
            reason = f"the session returned no reply ({error})"
        except Ended as error:
            code, reason = _why_ended(error.text)
            silent += 1 if code is None else 0
            if code is not None and code not in ssm_cli.PASSING:
                raise SessionFailed(reason) from error
        pause = ssm_cli.pause_before(retry)
        if silent >= SESSIONS or time.monotonic() + pause > deadline:
            break
        time.sleep(pause)
    raise SessionFailed(f"{reason} (tries: {retry + 1})")


def _why_ended(text: str) -> tuple[str | None, str]:
    error = ssm_cli.start_error(text)
    if error:
        return error[0], f"{error[0]}: {error[1]}"
    lines = [line.strip() for line in lines_of(text) if line.strip() and HELLO not in line]
    return None, "the session ended without a reply" + (f": {lines[-1]}" if lines else "")


def _one_session(command: t.Sequence[str], script: str, deadline: float) -> str:
    terminal = Terminal(command, environment=ssm_cli.session_environment())
    patience = 0.0
    try:
        answer = converse(terminal, script, deadline=deadline)
        terminal.send("exit")
        patience = 5.0
        return answer
    finally:
        terminal.close(patience=patience)


def converse(terminal: Terminal, script: str, *, deadline: float, token: str | None = None) -> str:
    """Greet the shell, hand over the script piece by piece, run it, read its answer."""
    token = token or secrets.token_hex(8)

    def left(most: float) -> float:
        return max(0.1, min(most, deadline - time.monotonic()))

    terminal.listen(timeout=left(ANNOUNCED_WITHIN))
    _greet(terminal, token, left(HELLO_TIMEOUT))
    encoded = base64.b64encode(script.encode()).decode()
    for number, start in enumerate(range(0, len(encoded), PIECE)):
        terminal.send(f"S=\"${{S}}{encoded[start : start + PIECE]}\"; printf '%s-%s\\n' {token} {number}")
        terminal.expect(f"{token}-{number}\n", timeout=left(30))
    terminal.send('R=/bin/sh; [ "$(id -u)" = 0 ] || R="sudo -n /bin/sh"')
    terminal.send('A=$($R -c "$(printf %s "$S" | base64 -d)" 2>&1 </dev/null)')
    terminal.send('printf \'%s\\n\' "$A" | base64 -w 60 | sed "s/^/$N|/"')
    terminal.send(f"printf '%s=%s=\\n' {token} \"$(printf '%s\\n' \"$A\" | sha256sum | cut -c1-64)\"")
    match = terminal.expect(f"(?s)(.*){token}=([0-9a-f]{{64}})=\n", timeout=left(120))
    return decode(match.group(1), token, match.group(2))


def _greet(terminal: Terminal, token: str, timeout: float) -> None:
    """Repeat until the shell replies: input sent before the plugin has set up its terminal can get lost."""
    hello = f"{HELLO}; PATH={SEARCH_PATH}; cd /; stty -echo 2>/dev/null; PS1=; PS2=; S=; N={token}; printf '%s-%s\\n' {token} hello"
    end = time.monotonic() + timeout
    while True:
        terminal.send(hello)
        try:
            terminal.expect(f"{token}-hello\n", timeout=HELLO_EVERY)
            return
        except Silent:
            if time.monotonic() >= end:
                raise Mute("the shell did not reply") from None


def decode(text: str, token: str, checksum: str) -> str:
    """The script's output from the encoded lines among ``text``.

    :raises Silent: when lines are missing or broken.
    """
    encoded = "".join(re.findall(rf"{token}\|([A-Za-z0-9+/=]+)", text))
    try:
        answer = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        answer = b""
    if not encoded or hashlib.sha256(answer).hexdigest() != checksum:
        raise Silent("the reply is incomplete")
    return answer.decode(errors="replace")
