# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs one script on a node through an SSM shell session, with retries if a session does not reply.

The session is a terminal. It echoes, prompts, wraps lines, and sometimes ends without output although the command ran. So
every line that this code waits for contains a token that no input contains in the same form. The script is sent in
acknowledged pieces, and its output returns encoded, with a checksum.
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
"""Characters of a line. Terminals cut input at 4,096 characters, and some at 1,024."""
HELLO = "unset HISTFILE"
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Set explicitly because the shell may run as root."""
ANNOUNCED_WITHIN = 30.0
"""Seconds until the plugin reports the start of a session. On a busy control node, the AWS CLI starts slowly."""
HELLO_TIMEOUT = 15.0
HELLO_EVERY = 3.0
SESSIONS = 5
"""Number of sessions without a reply after which the node is not tried again."""
GREETINGS = 2
"""The same for shells that do not reply to the greeting. If AWS refuses the data channel, a session stays without output."""


class SessionFailed(Exception):
    """The node did not reply; the message has the reason."""


class NoGreeting(SessionFailed):
    """Sessions started, but their shells did not reply to the greeting."""


class Mute(Silent):
    """The shell did not reply to the greeting."""


@dataclass(frozen=True)
class Route:
    """The parameters for sessions with a node."""

    target: str
    region: str
    profile: str | None
    account: str
    state_dir: str
    """The folder of the throttle that all processes share."""
    timeout: float
    """Seconds for all tries together."""


def run_script(route: Route, script: str) -> str:
    """Run ``script`` as root on the node and return its output.

    :raises NoGreeting: if sessions started, but their shells did not reply to the greeting.
    :raises SessionFailed: if no session started, or none returned the script's output.
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
                    f"{error} (tries: {mute}): does the IAM role of this run allow ssmmessages:OpenDataChannel?"
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
    """Greet the shell, send the script in pieces, run it, and return its output."""
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
    """Repeat the greeting until the shell replies. Input can get lost until the plugin has set up its terminal."""
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
    """The script's output from the encoded lines in ``text``.

    :raises Silent: if lines are missing or damaged.
    """
    encoded = "".join(re.findall(rf"{token}\|([A-Za-z0-9+/=]+)", text))
    try:
        answer = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        answer = b""
    if not encoded or hashlib.sha256(answer).hexdigest() != checksum:
        raise Silent("the reply is incomplete")
    return answer.decode(errors="replace")
