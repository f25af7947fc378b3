# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from AWS in the worker process of a task. A module would start Python and load boto3 again for each host."""

from __future__ import annotations

import contextlib
import io
import typing as t
import warnings

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import remove_values
from ansible_collections.amazon.aws.plugins.module_utils.botocore import (
    check_sdk_version_supported,
    get_aws_region,
)
from ansible_collections.amazon.aws.plugins.module_utils.exceptions import AnsibleBotocoreError
from ansible_collections.amazon.aws.plugins.module_utils.modules import aws_argument_spec
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure

Params = t.Mapping[str, t.Any]


class _Unable(Exception):
    """The options are invalid, or no client can be created with them."""


class Caller:
    """The parts of an AnsibleAWSModule that ``connect`` uses."""

    region = property(get_aws_region)

    def __init__(self, name: str, spec: Params, arguments: Params) -> None:
        self._name = name
        full = {**aws_argument_spec(), **spec}
        validated = ArgumentSpecValidator(full).validate(dict(arguments))
        if validated.error_messages:
            raise _Unable(validated.error_messages[0])
        self.params: Params = validated.validated_parameters
        if self.params["debug_botocore_endpoint_logs"]:
            raise _Unable("only a module returns the names of its calls")
        self.secrets = {self.params[name] for name, option in full.items() if option.get("no_log") and self.params.get(name)}

    def fail_json(self, **result: t.Any) -> t.NoReturn:
        raise _Unable(result["msg"])


def answer(name: str, spec: Params, arguments: Params, read: t.Callable[[t.Any], dict[str, t.Any]]) -> dict[str, t.Any] | None:
    """The result of a module that only reads.

    None if the options are invalid or AWS can't be called; the caller then runs the module, which reports the error. Output and
    warnings of libraries are dropped, as Ansible does for a module.

    :param spec: the argument spec of the module's own options.
    :param read: the function that the module passes to ``read_aws``.
    """
    try:
        if not check_sdk_version_supported():
            return None
        caller = Caller(name, spec, arguments)
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings(action="ignore"):
            found = read(caller)
        return remove_values({"changed": False, "changes": [], **found}, caller.secrets)
    except (_Unable, Failure, AwsError, AnsibleBotocoreError):
        return None
