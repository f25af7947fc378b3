# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""How ``aws ssm start-session`` is called, and what its errors mean.

Standard library only and no imports from the collection: the SSM wrapper loads this file by its path.
"""

# Code below the module has no module object, hence no run_command.
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
"""The first that signs its data channel, which AWS asks for. Before 1.2.497 the AWS CLI hands it the session's token among
its arguments, for every user of the machine to read."""
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
    """A program that this controller needs is not there, or is too old."""


def start_error(text: str) -> tuple[str, str] | None:
    """Code and message of a failed StartSession call.

    Such an error proves that no session came to be and no byte of a stream was read, so a retry is safe.
    """
    match = _START_ERROR.search(text)
    return (match.group(1), match.group(2).strip()) if match else None


def pause_before(retry: int, *, jitter: t.Callable[[], float] = random.random) -> float:
    """Seconds before retry number ``retry`` (from 0): exponential with full jitter."""
    return jitter() * min(LONGEST_PAUSE, FIRST_PAUSE * 2**retry)


def slot_key(account: str | None, profile: str | None, region: str) -> str:
    """AWS limits by account and Region; the profile replaces an unknown account."""
    return f"{account or profile or 'default'}-{region}"


def session_command(
    *,
    target: str,
    region: str,
    profile: str | None,
    document: str | None = None,
    parameters: str | None = None,
) -> list[str]:
    """The command line.

    :raises MissingProgram: with the name of the missing program.
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
    """Requirements of a session.

    :raises MissingProgram: for a missing or old program, or one without a version.
    """
    session_command(target="", region="", profile=None)
    require_plugin()


def require_plugin() -> None:
    """Check the version of the Session Manager plugin.

    :raises MissingProgram: for a missing or old plugin, or one without a version.
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
            f"{path} must be {oldest} or newer and is {said[:60]!r}; install a newer Session Manager plugin"
        )


def session_environment() -> dict[str, str]:
    """One attempt a call: the CLI's own retries would pass by the throttle."""
    return {**os.environ, "PATH": _search_path(), "AWS_MAX_ATTEMPTS": "1", "AWS_PAGER": ""}


def _search_path() -> str:
    """PATH and then the folder of this Python: in a virtual environment that was not activated aws is there."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), os.path.dirname(os.path.abspath(sys.executable))])


def _found(program: str) -> str:
    path = shutil.which(program, path=_search_path())
    if path is None:
        raise MissingProgram(f"{program} was not found on PATH; install {PROGRAMS[program]}")
    return path
