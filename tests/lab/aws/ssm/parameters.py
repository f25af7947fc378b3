# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters with the limits of AWS.

- A standard parameter holds at most four kilobytes.
- The later of two overlapping writes of a parameter is refused: TooManyUpdates.
- The first read soon after a write returns the old value. With the setting ``parameter_lags``, each read does so for a while.
- A deleted name cannot be created again at once: TooManyUpdates. AWS documents 30 seconds.
"""

from __future__ import annotations

import contextlib
import threading
import time
import typing as t

from moto.ssm.models import SimpleSystemManagerBackend

from .. import cloud
from ..action import Refusal
from ..delays import wait

STANDARD_TIER_BYTES = 4096


class ParameterBackend(SimpleSystemManagerBackend):
    """moto's backend with these rules."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.guard = threading.Lock()
        self.being_written: set[str] = set()
        self.unseen_until: dict[tuple[str, int], float] = {}
        self.late_until: dict[tuple[str, int], float] = {}
        self.deleted_at: dict[str, float] = {}

    def put_parameter(self, name: str, description: str, value: str, *others: t.Any, **named: t.Any) -> t.Any:
        if value and named.get("tier") in (None, "Standard") and len(value.encode()) > STANDARD_TIER_BYTES:
            raise Refusal(
                "ValidationException",
                f"Standard tier parameters support a maximum parameter value of {STANDARD_TIER_BYTES} characters. "
                "To create a larger parameter value, upgrade the parameter to use the advanced-parameter tier.",
            )
        with self._writing(name):
            if not self._parameters.get(name):
                self._check_rest(name)
            wait(lambda: _setting("parameter_write_seconds"))
            made = super().put_parameter(name, description, value, *others, **named)
            self.unseen_until[(made.name, made.version)] = time.monotonic() + _setting("parameter_lag_seconds")
            self.late_until[(made.name, made.version)] = time.monotonic() + cloud.current().settings["parameter_lags"].get(made.name, 0)
            return made

    def delete_parameter(self, name: str) -> None:
        super().delete_parameter(name)
        self.deleted_at[name] = time.monotonic()

    def delete_parameters(self, names: list[str]) -> list[str]:
        gone = super().delete_parameters(names)
        self.deleted_at.update(dict.fromkeys(gone, time.monotonic()))
        return gone

    def get_parameter(self, name: str) -> t.Any:
        newest = super().get_parameter(name)
        if newest is None or ":" in name:
            return newest
        version = (newest.name, newest.version)
        until = max(self.unseen_until.pop(version, 0.0), self.late_until.get(version, 0.0))
        before = self._parameters[newest.name][:-1]
        return newest if until <= time.monotonic() else before[-1] if before else None

    def get_parameters_by_path(
        self,
        path: str,
        recursive: bool,
        filters: list[dict[str, t.Any]] | None = None,
        next_token: str | None = None,
        max_results: int = 10,
    ) -> t.Any:
        if max_results > 10:  # moto's own refusal
            return super().get_parameters_by_path(path, recursive, filters, next_token, max_results)
        self._validate_parameter_filters(filters, by_path=True)
        names = self._parameters.get_keys_beginning_with(f"{path.rstrip('/')}/", recursive)
        seen = [one for one in map(self.get_parameter, names) if one is not None and self._match_filters(one, filters)]
        return self._get_values_nexttoken(seen, max_results, next_token)

    @contextlib.contextmanager
    def _writing(self, name: str) -> t.Iterator[None]:
        with self.guard:
            if name in self.being_written:
                raise Refusal("TooManyUpdates", "")
            self.being_written.add(name)
        try:
            yield
        finally:
            with self.guard:
                self.being_written.discard(name)

    def _check_rest(self, name: str) -> None:
        if time.monotonic() < self.deleted_at.get(name, 0.0) + _setting("parameter_rest_seconds"):
            raise Refusal(
                "TooManyUpdates",
                "Failed to create the parameter since stale tags associated to the name detected. "
                "Please retry in a while or change a parameter name.",
            )


def _setting(name: str) -> float:
    return float(cloud.current().settings[name])
