# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Clients, calls and errors of AWS: the ground floor under every wing that talks to a service."""

from __future__ import annotations

import typing as t

try:
    import botocore
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:  # AnsibleAWSModule reports the missing library
    Config = None

from ansible_collections.amazon.aws.plugins.module_utils.common import set_collection_info
from ansible_collections.amazon.aws.plugins.module_utils.exceptions import AnsibleAWSError
from ansible_collections.amazon.aws.plugins.module_utils.modules import AnsibleAWSModule

from .._core.failure import Refused
from .._core.wait import FIRST_PAUSE, Clock

COLLECTION_VERSION = "0.1.0"

NEXT_STEPS = {
    "AccessDenied": "allow the action for the calling role (the README of the role lists the required actions)",
    "AccessDeniedException": "allow the action for the calling role (the README of the role lists the required actions)",
    "UnauthorizedOperation": "allow the action for the calling role (the README of the role lists the required actions)",
    "ExpiredToken": "renew the credentials of the profile",
    "ExpiredTokenException": "renew the credentials of the profile",
    "UnrecognizedClientException": "check region and credentials of the profile",
    "ResourceNotFound": "check the name and the region",
    "ResourceNotFoundException": "check the name and the region",
    "ConflictException": "wait until the running operation has ended, then run again",
    "ResourceInUseException": "wait until the running operation has ended, or until nothing uses it, then run again",
    "Throttling": "run again; lower forks if it happens often",
    "ThrottlingException": "run again; lower forks if it happens often",
    "ResourceLimitExceeded": "ask for a higher quota in Service Quotas",
    "TooManyUpdates": "another run writes the same parameter; run again",
    "DependencyViolation": "wait until the interfaces that use it are gone, then run again",
}

COMPLETE = "1.44.3"
"""The first botocore that knows every operation and member of the API that this collection uses."""

PASSING = ("TooManyUpdates",)
"""Transient codes that botocore does not retry. Parameter Store returns this one during a concurrent write of the same
parameter, and for 30 seconds after a parameter of that name was deleted."""
PASSING_SECONDS = 60.0
LONGEST_PAUSE = 5.0

BEFORE_CALLS: list[t.Callable[[], None]] = []
"""What this process does before each call to AWS: it looks after the lock here while a module works."""


class AwsError(AnsibleAWSError):
    """A call to AWS that failed; the message names the operation, the resource and the next step."""

    @property
    def code(self) -> str:
        """The service's error code, or an empty string for an error that never reached the service."""
        response = getattr(self.exception, "response", None) or {}
        return response.get("Error", {}).get("Code", "")


class Api:
    """One client of one service. Made once and passed down: building a client costs 40 to 125 ms."""

    clock = Clock()

    def __init__(self, client: t.Any) -> None:
        self.client = client

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> dict[str, t.Any]:
        """Call ``operation`` (the API's own name) on the resource ``about``, again while the answer is one of ``PASSING``.

        :raises AwsError: with operation, resource and next step.
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
            self.clock.sleep(pause * (0.5 + self.clock.jitter()))  # far apart, so that two do not meet again
            pause = min(LONGEST_PAUSE, 2 * pause)

    def pages(self, operation: str, key: str, *, about: str, **arguments: t.Any) -> list[t.Any]:
        """All items under ``key`` over all pages; a page that fails fails the whole listing.

        :raises AwsError: as :meth:`call`.
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
        """As ``require``, for a member however deep in the request."""
        if not self.knows_member(operation, path):
            refuse_old_botocore(".".join((operation, *path)))

    def knows_member(self, operation: str, path: t.Sequence[str]) -> bool:
        """Whether the installed botocore accepts it in a request."""
        return knows(self.client.meta.service_model.operation_model(operation).input_shape, path)


def knows(shape: t.Any, path: t.Sequence[str]) -> bool:
    """Whether a structure of the service model has a member at ``path``, lists on the way included."""
    for name in path:
        if shape.type_name == "list":
            shape = shape.member
        if name not in shape.members:
            return False
        shape = shape.members[name]
    return True


def refuse_old_botocore(what: str, *, so: str = "") -> t.NoReturn:
    """``so``: what would come of it."""
    end = f"{so and ', so '}{so}; install botocore {COMPLETE} or newer."
    raise Refused(f"botocore {botocore.__version__} does not know {what}{end}")


class _Module(AnsibleAWSModule):
    def _should_inject_warnings(self) -> bool:
        """ansible-core returns the warnings itself; the second copy that amazon.aws adds is deprecated."""
        return False


def aws_module(**settings: t.Any) -> AnsibleAWSModule:
    """An ``AnsibleAWSModule`` that names this collection in its user agent and supports check mode."""
    settings.setdefault("supports_check_mode", True)
    module = _Module(**settings)
    set_collection_info(collection_name="mlfleet.hyperpod", collection_version=COLLECTION_VERSION)
    return module


def connect(
    module: AnsibleAWSModule, service: str, *, max_attempts: int = 10, region: str | None = None, **config: t.Any
) -> Api:
    """A client with standard retries, ten attempts; the user's ``aws_config`` still wins.

    Calls that must not be repeated blindly get a client with ``max_attempts=0``. ``region``: where a service is in few Regions.
    """
    retries = {"mode": "standard", "max_attempts": max_attempts}
    elsewhere = {"region": region} if region else {}
    return Api(module.client(service, config=Config(retries=retries, **config), **elsewhere))


def _explained(operation: str, about: str, error: Exception) -> AwsError:
    code = (getattr(error, "response", None) or {}).get("Error", {}).get("Code", "")  # None where none arrived
    step = NEXT_STEPS.get(code)
    message = f"{operation} for {about} failed" + (f"; {step}" if step else "")
    return AwsError(message=message, exception=error)
