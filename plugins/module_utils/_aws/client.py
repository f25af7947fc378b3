# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Clients, calls and errors of AWS, for all code that calls an AWS service."""

from __future__ import annotations

import functools
import typing as t

try:
    import boto3
    import botocore
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:  # AnsibleAWSModule reports the missing library
    Config = None

from ansible.module_utils.ansible_release import __version__ as ansible_version
from ansible_collections.amazon.aws.plugins.module_utils.botocore import get_aws_connection_info
from ansible_collections.amazon.aws.plugins.module_utils.exceptions import AnsibleAWSError
from ansible_collections.amazon.aws.plugins.module_utils.modules import AnsibleAWSModule

from .._core.failure import Refused
from .._core.wait import FIRST_PAUSE, Clock

COLLECTION_VERSION = "0.1.0"
USER_AGENT = f"APN/1.0 Ansible/{ansible_version} mlfleet.hyperpod/{COLLECTION_VERSION}"

NEXT_STEPS = {
    "AccessDenied": "allow the action for the calling role (the README of the role lists the required actions)",
    "AccessDeniedException": "allow the action for the calling role (the README of the role lists the required actions)",
    "UnauthorizedOperation": "allow the action for the calling role (the README of the role lists the required actions)",
    "ExpiredToken": "renew the credentials of the profile",
    "ExpiredTokenException": "renew the credentials of the profile",
    "UnrecognizedClientException": "check the Region and the credentials of the profile",
    "ResourceNotFound": "check the name and the Region",
    "ResourceNotFoundException": "check the name and the Region",
    "ConflictException": "wait until the running operation has ended, then run again",
    "ResourceInUseException": "wait until the running operation has ended or nothing uses the resource, then run again",
    "Throttling": "run again, and lower forks if this happens often",
    "ThrottlingException": "run again, and lower forks if this happens often",
    "ResourceLimitExceeded": "request a higher quota in Service Quotas",
    "BadRequest": "correct the options, or wait until the running operation has ended, then run again",
    "FileSystemNotFound": "check the ID and the Region",
    "ServiceLimitExceeded": "request a higher quota in Service Quotas",
    "InvalidNetworkSettings": "check the subnet, and the rules of the security groups",
    "TooManyUpdates": "run again, because another run writes the same parameter",
    "DependencyViolation": "wait until no network interface uses the resource, then run again",
}

COMPLETE = "1.44.3"
"""The first botocore release that supports every operation and member of the API that this collection uses."""

PASSING = ("TooManyUpdates",)
"""Transient error codes that botocore does not retry. Parameter Store returns TooManyUpdates during a concurrent write of the
same parameter, and for 30 seconds after a parameter of that name was deleted."""
PASSING_SECONDS = 60.0
LONGEST_PAUSE = 5.0

BEFORE_CALLS: list[t.Callable[[], None]] = []
"""Functions that run before each call to AWS. One of them renews the lock that a module has acquired."""


class AwsError(AnsibleAWSError):
    """A failed call to AWS. The message names the operation, the resource and, if there is one, the next step."""

    @property
    def code(self) -> str:
        """The service's error code; an empty string if no reply of the service arrived."""
        response = getattr(self.exception, "response", None) or {}
        return response.get("Error", {}).get("Code", "")


class Api:
    """A client of one service. Create it once and pass it on, because building a client takes 40 to 125 ms."""

    clock = Clock()

    def __init__(self, client: t.Any) -> None:
        self.client = client

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> dict[str, t.Any]:
        """Call ``operation`` (the API's name) on the resource ``about``. Error codes in ``PASSING`` are retried.

        :raises AwsError: if the call fails.
        """
        method = getattr(self.client, botocore.xform_name(operation))
        deadline, pause = self.clock.now() + PASSING_SECONDS, FIRST_PAUSE
        while True:
            for prepare in BEFORE_CALLS:
                prepare()
            try:
                return method(**arguments)
            except (ClientError, BotoCoreError) as error:
                failure = _explained(operation, about, error)
                if failure.code not in PASSING or self.clock.now() >= deadline:
                    raise failure from error
            self.clock.sleep(pause * (0.5 + self.clock.jitter()))  # random, so that two runs do not collide again
            pause = min(LONGEST_PAUSE, 2 * pause)

    def pages(self, operation: str, key: str, *, about: str, **arguments: t.Any) -> list[t.Any]:
        """All items under ``key`` on all pages. If the request for one page fails, the whole listing fails.

        :raises AwsError: like :meth:`call`.
        """
        for prepare in BEFORE_CALLS:
            prepare()
        paginator = self.client.get_paginator(botocore.xform_name(operation))
        try:
            return [item for page in paginator.paginate(**arguments) for item in page.get(key, [])]
        except (ClientError, BotoCoreError) as error:
            raise _explained(operation, about, error) from error

    def require(self, operation: str, *parameters: str) -> None:
        """Refuse operations and members that the installed botocore does not support yet."""
        model = self.client.meta.service_model
        known = model.operation_model(operation).input_shape.members if operation in model.operation_names else {}
        missing = [name for name in parameters if name not in known]
        if operation not in model.operation_names or missing:
            what = f"{operation}.{missing[0]}" if missing and known else operation
            refuse_old_botocore(what)

    def require_member(self, operation: str, path: t.Sequence[str]) -> None:
        """Like ``require``, for one member at any depth of the request."""
        if not self.knows_member(operation, path):
            refuse_old_botocore(".".join((operation, *path)))

    def knows_member(self, operation: str, path: t.Sequence[str]) -> bool:
        """Whether the installed botocore accepts the member at ``path`` in a request."""
        return knows(self.client.meta.service_model.operation_model(operation).input_shape, path)


def knows(shape: t.Any, path: t.Sequence[str]) -> bool:
    """Whether a structure of the service model has a member at ``path``.

    A list has no element of its own in the path: the next element is a member of the list's entries.
    """
    for name in path:
        if shape.type_name == "list":
            shape = shape.member
        if name not in shape.members:
            return False
        shape = shape.members[name]
    return True


def refuse_old_botocore(what: str, *, so: str = "") -> t.NoReturn:
    """:param so: the consequence, if the message should state one."""
    end = f"{so and ', so '}{so}. Install botocore {COMPLETE} or newer."
    raise Refused(f"botocore {botocore.__version__} does not support {what}{end}")


class _Module(AnsibleAWSModule):
    def _should_inject_warnings(self) -> bool:
        """amazon.aws would also pass all warnings to ``exit_json``, which is deprecated: ansible-core returns warnings itself."""
        return False


def aws_module(**settings: t.Any) -> AnsibleAWSModule:
    """An ``AnsibleAWSModule`` that supports check mode."""
    settings.setdefault("supports_check_mode", True)
    return _Module(**settings)


@functools.cache
def _session(profile: str | None) -> t.Any:
    """The session of all clients. ``AnsibleAWSModule.client`` makes a session for each client, and each session resolves the
    credentials again: it assumes the role of the profile, or starts the program of the profile."""
    return boto3.session.Session(profile_name=profile)


def connect(
    module: AnsibleAWSModule, service: str, *, max_attempts: int = 10, region: str | None = None, **config: t.Any
) -> Api:
    """A client with standard retries, at most ten for each call, unless the user's ``aws_config`` sets other values.

    :param max_attempts: the maximum number of retries. Set 0 if a call whose reply was lost must not be sent again.
    :param region: the Region of the service's endpoint, for services that exist only in a few Regions.
    :raises AwsError: for options, a profile or an environment without credentials or a Region.
    """
    given_region, endpoint, options = get_aws_connection_info(module)
    profile, of_user = options.pop("profile_name", None), options.pop("aws_config", None)
    ours = Config(user_agent=USER_AGENT, retries={"mode": "standard", "max_attempts": max_attempts}, **config)
    options |= {"region_name": region or given_region, "endpoint_url": endpoint, "config": ours.merge(of_user) if of_user else ours}
    try:
        return Api(_session(profile).client(service, **options))
    except (BotoCoreError, ValueError) as error:
        raise AwsError(message="Couldn't connect to AWS", exception=error) from error


def _explained(operation: str, about: str, error: Exception) -> AwsError:
    code = (getattr(error, "response", None) or {}).get("Error", {}).get("Code", "")  # None if no reply arrived
    step = NEXT_STEPS.get(code)
    message = f"{operation} for {about} failed" + (f"; {step}" if step else "")
    return AwsError(message=message, exception=error)
