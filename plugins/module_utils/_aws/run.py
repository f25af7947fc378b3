# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The only error boundary of modules that call AWS. Each expected failure becomes one message."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.amazon.aws.plugins.module_utils.modules import AnsibleAWSModule

from .._core.converge import APPLIED
from .._core.failure import Failure
from .._core.finding import why
from .client import AwsError


@contextlib.contextmanager
def boundary(module: AnsibleAWSModule, failed: t.Callable[[Exception], dict[str, t.Any]] = lambda error: {}) -> t.Iterator[None]:
    """
    :param failed: returns additional return values for a module that fails with an error of this collection.
    """
    try:
        yield
    except Failure as error:
        module.fail_json(msg=str(error), changes=APPLIED, **{**why(error.finding()), **failed(error)})
    except AwsError as error:
        if APPLIED:
            error.message = f"{error.message} (already done: {_names(APPLIED)})"
        module.fail_json_aws_error(error)


def read_aws(module: AnsibleAWSModule, read: t.Callable[[AnsibleAWSModule], dict[str, t.Any]]) -> t.NoReturn:
    """Run a module that only reads. ``read`` returns the return values."""
    answer_aws(module, lambda module: {"changed": False, "changes": [], **read(module)})


def answer_aws(module: AnsibleAWSModule, work: t.Callable[[AnsibleAWSModule], dict[str, t.Any]]) -> t.NoReturn:
    """Run a module that knows its changes only when it makes them. ``work`` returns the whole result."""
    with boundary(module):
        module.exit_json(**work(module))
    raise AssertionError("exit_json returned")


def _names(changes: list[dict[str, t.Any]]) -> str:
    return ", ".join(f"{change['action']} {change['resource']}" for change in changes)
