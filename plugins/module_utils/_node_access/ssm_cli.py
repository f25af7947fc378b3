# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The command line of ``aws ssm start-session``, its requirements, and its errors.

Standard library only and no imports from the collection: the SSM wrapper loads this file by its path.
"""

# The callers have no module object, so run_command is not available.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import typing as t

TRIES = 10
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 20.0

PROGRAMS = {
    "aws": "the AWS CLI",
    "session-manager-plugin": "the Session Manager plugin for the AWS CLI",
}
OLDEST_PLUGIN = (1, 2, 764, 0)
"""The first version that signs its data channel, which AWS requires. Before 1.2.497, the AWS CLI passes the session's token
as an argument, which every user of the machine can read."""
NOT_CONNECTED = "TargetNotConnected"
PASSING = {
    "ThrottlingException",
    "Throttling",
    "TooManyRequestsException",
    "RequestLimitExceeded",
    NOT_CONNECTED,
    "InternalServerError",
    "ServiceUnavailable",
    "ServiceUnavailableException",
}
_START_ERROR = re.compile(r"An error occurred \((\w+)\) when calling the StartSession operation(?: \([^)]*\))?:\s*([^\r\n]*)")


class MissingProgram(Exception):
    """A program that this control node needs is missing or too old."""


def start_error(text: str) -> tuple[str, str] | None:
    """The code and message of a failed StartSession call; None if ``text`` has no such error.

    Such an error proves that no session started and that no byte of a stream was read, so a retry is safe.
    """
    match = _START_ERROR.search(text)
    return (match.group(1), match.group(2).strip()) if match else None


def pause_before(retry: int, *, jitter: t.Callable[[], float] = random.random) -> float:
    """Seconds before retry number ``retry`` (from 0), exponential with full jitter."""
    return jitter() * min(LONGEST_PAUSE, FIRST_PAUSE * 2**retry)


def slot_key(account: str | None, profile: str | None, region: str) -> str:
    """The name of the throttle. AWS limits sessions by account and Region; the profile replaces an unknown account."""
    return f"{account or profile or 'default'}-{region}"


def session_command(
    *,
    target: str,
    region: str,
    profile: str | None,
    document: str | None = None,
    parameters: str | None = None,
) -> list[str]:
    """The command that starts a session.

    :raises MissingProgram: if a program is missing.
    """
    command = [_found("aws"), "ssm", "start-session", "--target", target, "--region", region]
    _found("session-manager-plugin")
    if profile:
        command += ["--profile", profile]
    if document:
        command += ["--document-name", document]
    if parameters:
        command += ["--parameters", parameters]
    return command


def require_programs() -> None:
    """Check that the programs for sessions are installed.

    :raises MissingProgram: if a program is missing or too old, or does not print its version.
    """
    session_command(target="", region="", profile=None)
    require_plugin()


def require_plugin() -> None:
    """Check the version of the Session Manager plugin.

    :raises MissingProgram: if the plugin is missing or too old, or does not print its version.
    """
    path = _found("session-manager-plugin")
    try:
        done = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
        said = done.stdout.decode(errors="replace").strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    version = re.fullmatch(r"([0-9]+)\.([0-9]+)\.([0-9]+)(?:\.([0-9]+))?", said)
    if version is None or tuple(int(part or 0) for part in version.groups()) < OLDEST_PLUGIN:
        oldest = ".".join(map(str, OLDEST_PLUGIN))
        raise MissingProgram(
            f"{path} must be version {oldest} or newer, but its version is {said[:60]!r}; install a newer Session Manager plugin"
        )


def session_environment() -> dict[str, str]:
    """Allows one attempt per call, because the CLI's own retries would bypass the throttle."""
    return {**os.environ, "PATH": _search_path(), "AWS_MAX_ATTEMPTS": "1", "AWS_PAGER": ""}


def _search_path() -> str:
    """PATH, then the folder of this Python, which contains aws if both are in a virtual environment that is not activated."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(os.path.abspath(sys.executable))])


def _found(program: str) -> str:
    path = shutil.which(program, path=_search_path())
    if path is None:
        raise MissingProgram(f"{program} was not found on PATH; install {PROGRAMS[program]}")
    return path
