# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients with scripted answers; botocore validates every request and answer against the service model. Recorded changes are reset between tests."""

from __future__ import annotations

import typing as t

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from botocore.config import Config
from botocore.stub import Stubber

REGION = "us-west-2"
PRESIGNED = "GetCallerIdentity"
"""The presigned URL is the token for an EKS cluster; no request is sent."""


class Scripted(Stubber):
    """Counts calls and answers: product code reports a call without an answer as an error of AWS, which a test may expect."""

    def __init__(self, client: t.Any) -> None:
        super().__init__(client)
        self.answers = self.calls = 0
        client.meta.events.register("provide-client-params.*.*", self._call)

    def _call(self, *, model: t.Any, **_event: t.Any) -> None:
        self.calls += model.name != PRESIGNED

    def add_response(self, *arguments: t.Any, **named: t.Any) -> None:
        super().add_response(*arguments, **named)
        self.answers += 1

    def add_client_error(self, *arguments: t.Any, **named: t.Any) -> None:
        super().add_client_error(*arguments, **named)
        self.answers += 1


@pytest.fixture(autouse=True)
def nothing_applied() -> None:
    """A module runs in its own process; tests share one."""
    APPLIED.clear()


@pytest.fixture
def stubbed() -> t.Iterator[t.Callable[[str], tuple[t.Any, Stubber]]]:
    """``stubbed(service)`` returns a client and its stubber; at the end, each answer must have been used, and each call must have had an answer."""
    stubbers: list[Scripted] = []

    def make(service: str) -> tuple[t.Any, Stubber]:
        client = boto3.client(
            service,
            region_name=REGION,
            aws_access_key_id="example",
            aws_secret_access_key="example",
            config=Config(retries={"mode": "standard", "max_attempts": 1}),
        )
        stubber = Scripted(client)
        stubber.activate()
        stubbers.append(stubber)
        return client, stubber

    yield make
    for stubber in stubbers:
        stubber.assert_no_pending_responses()
        assert stubber.calls <= stubber.answers, "a call without an answer"
