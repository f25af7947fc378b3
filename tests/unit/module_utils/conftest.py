# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that answer from a script; botocore checks every request and answer against the service's model. And changes that are forgotten."""

from __future__ import annotations

import typing as t

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import APPLIED
from botocore.config import Config
from botocore.stub import Stubber

REGION = "us-west-2"


@pytest.fixture(autouse=True)
def nothing_applied() -> None:
    """A module is a process of its own; tests are not."""
    APPLIED.clear()


@pytest.fixture
def stubbed() -> t.Iterator[t.Callable[[str], tuple[t.Any, Stubber]]]:
    """``stubbed(service)`` returns a client and its stubber; all answers must have been used at the end."""
    stubbers: list[Stubber] = []

    def make(service: str) -> tuple[t.Any, Stubber]:
        client = boto3.client(
            service,
            region_name=REGION,
            aws_access_key_id="example",
            aws_secret_access_key="example",
            config=Config(retries={"mode": "standard", "max_attempts": 1}),
        )
        stubber = Stubber(client)
        stubber.activate()
        stubbers.append(stubber)
        return client, stubber

    yield make
    for stubber in stubbers:
        stubber.assert_no_pending_responses()
