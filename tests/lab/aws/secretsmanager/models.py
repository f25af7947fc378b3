# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""moto's backend with the rules for names of secrets scheduled for deletion, and with the delays of AWS.

Settings: ``listing_lag_seconds`` (0), how long a listing shows the old state; ``forced_deletion_seconds`` (0), how long a
permanent deletion takes, during which the name cannot be used again.
"""

from __future__ import annotations

import copy
import threading
import time
import typing as t

from moto.secretsmanager.models import SecretsManagerBackend, SecretsStore

from .. import cloud
from ..action import Refusal


class SecretsBackend(SecretsManagerBackend):
    """One writer at a time, so that one of two concurrent CreateSecrets is refused."""

    def __init__(self, region_name: str, account_id: str) -> None:
        self.writing = threading.RLock()
        self.leaving: dict[str, float] = {}
        self.before: list[tuple[float, SecretsStore]] = []
        """Times of changes, with the state before each."""
        super().__init__(region_name, account_id)

    @property
    def secrets(self) -> SecretsStore:
        with self.writing:
            lasts = cloud.current().settings["forced_deletion_seconds"]
            for name in [name for name, since in self.leaving.items() if time.monotonic() >= since + lasts]:
                del self.leaving[name]
                self._secrets.pop(name)
            return self._secrets

    @secrets.setter
    def secrets(self, store: SecretsStore) -> None:
        self._secrets = store

    def create_secret(self, name: str, *others: t.Any, **named: t.Any) -> t.Any:
        with self.changing():
            known = self.secrets.get(name)
            if known is not None and known.is_deleted():
                raise Refusal(
                    "InvalidRequestException",
                    "You can't create this secret because a secret with this name is already scheduled for deletion.",
                )
            return super().create_secret(name, *others, **named)

    def delete_secret(self, secret_id: str, recovery_window_in_days: int | None, force_delete_without_recovery: bool):
        with self.changing():
            known, lasts = self.secrets.get(secret_id), cloud.current().settings["forced_deletion_seconds"]
            if not force_delete_without_recovery or known is None or not lasts:
                return super().delete_secret(secret_id, recovery_window_in_days, force_delete_without_recovery)
            known.delete(time.time())
            self.leaving.setdefault(known.name, time.monotonic())
            return known.arn, known.name, known.deleted_date

    def restore_secret(self, secret_id: str) -> tuple[str, str]:
        with self.changing():
            known = self.secrets.get(secret_id)
            if known is not None and known.name in self.leaving:
                raise Refusal("InvalidRequestException", "You can't restore this secret because it was deleted.")
            return super().restore_secret(secret_id)

    def put_secret_value(self, *others: t.Any, **named: t.Any) -> t.Any:
        with self.changing():
            return super().put_secret_value(*others, **named)

    def tag_resource(self, *others: t.Any, **named: t.Any) -> None:
        with self.changing():
            super().tag_resource(*others, **named)

    def list_secrets(self, *others: t.Any, **named: t.Any) -> t.Any:
        visible_at = time.monotonic() - cloud.current().settings["listing_lag_seconds"]
        with self.writing:
            shown = next((store for changed, store in self.before if changed > visible_at), self.secrets)
        view = copy.copy(self)
        view.leaving, view.secrets = {}, shown
        return SecretsManagerBackend.list_secrets(view, *others, **named)

    def changing(self) -> t.ContextManager[t.Any]:
        """Make a change exclusive, and keep the state before it for listings."""
        with self.writing:
            if cloud.current().settings["listing_lag_seconds"]:
                store = SecretsStore()
                for name, secret in self.secrets.items():
                    store[name] = copy.copy(secret)
                self.before.append((time.monotonic(), store))
            else:
                self.before.clear()
        return self.writing
