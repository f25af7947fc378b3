# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions of one account and region, and the rate limit of the service."""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import json
import secrets
import threading
import time
import typing as t

from .. import cloud, request
from ..action import Refusal
from .parameters import ParameterBackend

SHELL = "SSM-SessionManagerRunShell"
DOCUMENTS = {SHELL, "AWS-StartSSHSession", "AWS-StartInteractiveCommand", "AWS-StartNonInteractiveCommand"}


@dataclasses.dataclass
class Session:
    """A session. Its token tells the plugin the host."""

    target: str
    instance_id: str
    document: str
    owner: str
    session_id: str = dataclasses.field(default_factory=lambda: f"lab-{secrets.token_hex(9)[:17]}")
    started: datetime.datetime = dataclasses.field(default_factory=lambda: datetime.datetime.now(datetime.timezone.utc))
    ended: datetime.datetime | None = None

    def token(self, **about: t.Any) -> str:
        """The token for the session-manager-plugin; opaque to other programs."""
        content = {"session_id": self.session_id, "instance_id": self.instance_id, **about}
        return base64.urlsafe_b64encode(json.dumps(content).encode()).decode()

    def describe(self) -> dict[str, t.Any]:
        """The session's entry in DescribeSessions."""
        answer: dict[str, t.Any] = {
            "SessionId": self.session_id,
            "Target": self.target,
            "Status": "Terminated" if self.ended else "Connected",
            "StartDate": self.started,
            "DocumentName": self.document,
            "Owner": self.owner,
        }
        return answer | ({"EndDate": self.ended} if self.ended else {})


class SessionBackend(ParameterBackend):
    """Systems Manager with sessions."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.sessions: dict[str, Session] = {}
        self.starts: collections.deque[float] = collections.deque()
        self.counting = threading.Lock()

    def start_session(self, target: str, document: str) -> Session:
        """A session to a node of this account and region.

        :raises Refusal: ThrottlingException over the rate, TargetNotConnected, InvalidDocument.
        """
        self._count()
        if document not in DOCUMENTS:
            raise Refusal("InvalidDocument", f"Document with name {document} does not exist.")
        instance_id = connected(self.account_id, self.region_name).get(target)
        if instance_id is None:
            raise Refusal("TargetNotConnected", f"{target} is not connected.")
        owner = f"arn:aws:sts::{self.account_id}:assumed-role/lab/{request.current().access_key}"
        session = Session(target, instance_id, document, owner)
        self.sessions[session.session_id] = session
        return session

    def _count(self) -> None:
        """Enforce AWS's limit of three StartSessions per second and account."""
        now, settings = time.monotonic(), cloud.current().settings
        with self.counting:
            while self.starts and now - self.starts[0] >= settings["session_rate_seconds"]:
                self.starts.popleft()
            if len(self.starts) >= settings["sessions_per_second"]:
                raise Refusal("ThrottlingException", "Rate exceeded")
            self.starts.append(now)


def connected(account: str, region: str) -> dict[str, str]:
    """SSM targets of an account's running nodes, with their instance IDs. Only SSM shows that a node is off."""
    from ..sagemaker import clusters

    hosts = cloud.current().hosts
    return {
        f"sagemaker-cluster:{cluster.id}_{node.group}-{node.instance_id}": node.instance_id
        for cluster in clusters()
        if (cluster.account, cluster.region) == (account, region)
        for node in list(cluster.nodes.values())
        if node.status == "Running" and hosts.runs(node.instance_id)
    }
