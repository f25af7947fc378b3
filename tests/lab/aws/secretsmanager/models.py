# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend: moto's, but for the name of a secret that waits for its deletion."""

from __future__ import annotations

import threading
import typing as t

from moto.secretsmanager.models import SecretsManagerBackend

from ..action import Refusal


class SecretsBackend(SecretsManagerBackend):
    """One writer at a time, so that of two CreateSecrets one is refused."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.writing = threading.Lock()

    def create_secret(self, name: str, *others: t.Any, **named: t.Any) -> t.Any:
        with self.writing:
            known = self.secrets.get(name)
            if known is not None and known.is_deleted():
                raise Refusal(
                    "InvalidRequestException",
                    "You can't create this secret because a secret with this name is already scheduled for deletion.",
                )
            return super().create_secret(name, *others, **named)
