# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module that calls AWS in the worker process of its task. Ansible would start Python and load boto3 again for each host.

Only modules that change nothing run here: modules that only read, and check mode.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import types
import typing as t
import warnings

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible.plugins.action import ActionBase
from ansible_collections.amazon.aws.plugins.module_utils.botocore import (
    check_sdk_version_supported,
    get_aws_region,
)
from ansible_collections.amazon.aws.plugins.module_utils.exceptions import AnsibleBotocoreError
from ansible_collections.amazon.aws.plugins.module_utils.modules import aws_argument_spec

Params = t.Mapping[str, t.Any]


class _Unable(Exception):
    """The options are invalid, no client can be created with them, or the module fails."""


class _Ended(Exception):
    """The module has ended with this result."""

    def __init__(self, result: dict[str, t.Any]) -> None:
        super().__init__()
        self.result = result


class Caller:
    """The parts of an AnsibleAWSModule that our modules use in check mode."""

    region = property(get_aws_region)
    check_mode = True

    def __init__(self, arguments: Params, settings: Params) -> None:
        settings = {**settings, "argument_spec": {**aws_argument_spec(), **settings["argument_spec"]}}
        validated = ArgumentSpecValidator(**settings).validate(dict(arguments))
        if validated.error_messages:
            raise _Unable(validated.error_messages[0])
        self.params: Params = validated.validated_parameters
        if self.params["debug_botocore_endpoint_logs"]:
            raise _Unable("only a module returns the names of its calls")
        self.warnings: list[str] = []
        hidden = {name for name, option in settings["argument_spec"].items() if option.get("no_log")}
        self.secrets = {self.params[name] for name in hidden if self.params.get(name)}

    def warn(self, warning: str) -> None:
        self.warnings.append(warning)

    def exit_json(self, **result: t.Any) -> t.NoReturn:
        raise _Ended(result)

    def fail_json(self, msg: str, **_result: t.Any) -> t.NoReturn:
        raise _Unable(msg)

    def fail_json_aws_error(self, error: Exception) -> t.NoReturn:
        raise _Unable(str(error))


def answer(module: types.ModuleType, arguments: Params) -> dict[str, t.Any] | None:
    """The result of a module in check mode.

    None if the module would fail. The caller then runs the module, which reports the error. Output and warnings of libraries are
    dropped, as Ansible does for a module.

    :param module: has ``SETTINGS`` for the validation of its options, and ``run``, which ``main`` calls.
    """
    try:
        if not check_sdk_version_supported():
            return None
        caller = Caller(arguments, module.SETTINGS)
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings(action="ignore"):
            module.run(caller)
    except _Ended as ended:
        noted = {"warnings": caller.warnings} if caller.warnings else {}
        plain = json.loads(json.dumps({**ended.result, **noted}))  # as a module returns it: without tuples and Ansible's tags
        return t.cast("dict[str, t.Any]", remove_values(plain, caller.secrets))
    except (_Unable, AnsibleBotocoreError):
        return None
    raise AssertionError("the module returned")


def only_reads(name: str, arguments: Params) -> bool:
    """Whether the module changes nothing outside of check mode."""
    return name.endswith("_info") or arguments.get("state") == "query"


def same_place(action: ActionBase, variables: Params) -> bool:
    """Whether the module of the task would run with the Python, the environment and the user of this process."""
    task = action._task
    if task.delegate_to or task.async_val:
        return False
    if task.timeout:  # in this process, the timeout could not interrupt a DNS request
        return False
    python = action._templar.template(variables.get("ansible_python_interpreter"))
    local = action._connection.transport == "local" and python == sys.executable and not action._connection.become
    return local and not any(action._templar.template(task.environment))
