# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Runs a module on a node, with the only error boundary of node modules and with a lock that allows one run at a time."""

from __future__ import annotations

import contextlib
import subprocess
import typing as t

from .._core.converge import APPLIED, Module, Resource, converge
from .._core.failure import Failure
from .._core.finding import why
from .lock import node_lock

LOCK_SECONDS = 60.0

EXPECTED = (Failure, OSError, subprocess.SubprocessError)


def run_node(
    module: Module,
    make: t.Callable[[Module], Resource],
    *,
    begin: t.Callable[[Module], None] | None = None,
    lock: bool = True,
    seconds: float = LOCK_SECONDS,
) -> t.NoReturn:
    """Run a module that changes this node. ``make`` reads its options. Each expected failure becomes one message.

    :param begin: runs before the node is observed, under the lock.
    :param lock: whether to hold the node's lock.
    :param seconds: how long to wait for the lock.
    """
    resource: Resource | None = None

    def failed(error: Exception) -> dict[str, t.Any]:
        return resource.failed(error) if resource else {}

    with _boundary(module, failed):
        resource = make(module)
        with _lock(lock, seconds):
            if begin is not None:
                begin(module)
            converge(module, resource)
    raise AssertionError("exit_json returned")


def read_node(module: Module, read: t.Callable[[Module], dict[str, t.Any]], *, lock: bool = False) -> t.NoReturn:
    """Run a module, or a phase of one, that reports no change. ``read`` returns the return values."""
    with _boundary(module), _lock(lock, LOCK_SECONDS):
        module.exit_json(changed=False, **read(module))
    raise AssertionError("exit_json returned")


@contextlib.contextmanager
def _boundary(module: Module, failed: t.Callable[[Exception], dict[str, t.Any]] = lambda error: {}) -> t.Iterator[None]:
    try:
        yield
    except EXPECTED as error:
        found = why(error.finding()) if isinstance(error, Failure) else {}
        module.fail_json(msg=str(error), changed=bool(APPLIED), changes=APPLIED, **{**found, **failed(error)})


def _lock(wanted: bool, seconds: float) -> contextlib.AbstractContextManager[None]:
    return node_lock(timeout=seconds) if wanted else contextlib.nullcontext()
