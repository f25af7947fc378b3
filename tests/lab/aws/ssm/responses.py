# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations of sessions."""

from __future__ import annotations

import datetime
import typing as t

from moto.ssm.responses import SimpleSystemManagerResponse

from .. import cloud, request
from ..action import Refusal, action
from .models import SHELL


class SessionResponse(SimpleSystemManagerResponse):
    """moto's Systems Manager with sessions."""

    @action
    def start_session(self, Target: str, DocumentName: str = SHELL, **_: t.Any) -> dict[str, t.Any]:
        session = self.ssm_backend.start_session(Target, DocumentName)
        faults = cloud.current().faults
        empty, refused = (
            faults.take(request.current(), kind) is not None for kind in ("ssm_empty_output", "ssm_refused_channel")
        )
        return {
            "SessionId": session.session_id,
            "TokenValue": session.token(empty=empty, refused=refused),
            "StreamUrl": f"wss://ssmmessages.{self.region}.amazonaws.com/v1/data-channel/{session.session_id}",
        }

    @action
    def terminate_session(self, SessionId: str) -> dict[str, t.Any]:
        session = self.ssm_backend.sessions.get(SessionId)
        if session:
            session.ended = session.ended or datetime.datetime.now(datetime.timezone.utc)
        return {"SessionId": SessionId}

    @action
    def describe_sessions(self, State: str, Filters: t.Any = (), **_: t.Any) -> dict[str, t.Any]:
        targets = {entry["value"] for entry in Filters if entry["key"] == "Target"}
        found = [
            session.describe()
            for session in list(self.ssm_backend.sessions.values())
            if (session.ended is not None) == (State == "History") and (not targets or session.target in targets)
        ]
        return {"Sessions": found}

    @action
    def resume_session(self, SessionId: str) -> dict[str, t.Any]:
        raise Refusal("DoesNotExistException", f"Session {SessionId} cannot be resumed in the lab.")
