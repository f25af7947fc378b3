# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file system whose descriptions are scripted."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.observe import Observer
from botocore.exceptions import ClientError

CLUSTER = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
OURS = {"mlfleet.hyperpod/cluster": CLUSTER, "mlfleet.hyperpod/component": "file_system", "Name": "data"}
SECONDS = 600


def described(
    lifecycle: str = "AVAILABLE", *actions: dict[str, t.Any], name: str = "fs-1", tags: t.Mapping[str, str] = OURS, **more: t.Any
) -> dict[str, t.Any]:
    return {
        "FileSystemId": name,
        "ResourceARN": "arn",
        "FileSystemType": "LUSTRE",
        "Lifecycle": lifecycle,
        "SubnetIds": ["subnet-1"],
        "StorageCapacity": 1200,
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125},
        "AdministrativeActions": list(actions),
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        **more,
    }


def action(status: str, time: str = "1", kind: str = "FILE_SYSTEM_UPDATE", **more: t.Any) -> dict[str, t.Any]:
    return {"AdministrativeActionType": kind, "Status": status, "RequestTime": time, **more}


def error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


GONE = error("FileSystemNotFound")


class Fsx:
    """Returns the answers of DescribeFileSystems in order and repeats the last; ``first`` is the reply to other calls."""

    def __init__(self, *answers: t.Any, first: t.Any = None, listed: t.Sequence[dict[str, t.Any]] = ()) -> None:
        self.answers, self.first, self.listed = list(answers), first, listed
        self.calls: list[tuple[str, dict[str, t.Any]]] = []

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        self.calls.append((operation, arguments))
        answer = self.first if self.first is not None else {}
        if operation == "DescribeFileSystems":
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            answer = answer if isinstance(answer, ClientError) else {"FileSystems": [answer]}
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        return answer

    def pages(self, operation: str, key: str, *, about: str) -> list[dict[str, t.Any]]:
        self.calls.append((operation, {}))
        return list(self.listed)


class NoNetwork:
    def groups_of(self, interfaces: t.Sequence[str]) -> list[str] | None:
        return ["sg-1"] if interfaces else None

    def zones(self, subnets: t.Iterable[str]) -> dict[str, str]:
        return dict.fromkeys(subnets, "us-west-2a")


class Time:
    """A clock without pauses; ``now`` is the time that the waits took."""

    def __init__(self) -> None:
        self.now = 0.0

    @property
    def waits(self) -> Waits:
        clock = Clock(now=lambda: self.now, sleep=self._sleep, jitter=lambda: 0.0)
        return Waits(timeout=SECONDS, interval=20, clock=clock)

    def _sleep(self, seconds: float) -> None:
        self.now += seconds


def observer(fsx: Fsx, desired: Desired, *, time: Time | None = None, network: t.Any = None) -> Observer:
    return Observer(fsx, network or NoNetwork(), desired, waits=time.waits if time else None)
