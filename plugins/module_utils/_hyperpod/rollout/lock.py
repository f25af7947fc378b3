# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a rollout: only one call at a time takes a step. The lock stays held while the verb runs for a wave."""

from __future__ import annotations

from ..._aws.client import Api
from ..._core.converge import retried
from ..._lock.apply import Applier
from ..._lock.claim import own_claim, own_token
from ..._lock.model import Claim, Locks
from ..._lock.observe import Observer
from ..._lock.plan import plan_acquire, plan_release
from ..._lock.run import TRIES, lost_race
from .model import lock_subject

TTL = 4 * 3600
"""Seconds after which the lock of a call that was killed on another machine expires. A longer wave loses its lock."""


class StepLock:
    def __init__(self, ssm: Api, name: str, region: str, *, token: str | None = None) -> None:
        """:param token: the identity of this run, if it is not the running ansible command."""
        self._token = token
        self._subject = lock_subject(name, region)
        self._observer = Observer(ssm, self._subject)
        self._applier = Applier(ssm, self._subject, self._observer)

    def acquire(self, *, minutes: int | None) -> Claim | None:
        """Acquire the lock. Returns the claim of the other call that holds it, or None.

        :param minutes: the maximum duration of a wave.
        """
        ttl = max(TTL, 2 * 60 * (minutes or 0))
        claim = own_claim(token=self._token, ttl=ttl)
        locks = retried(lambda: self._once(claim), message=lost_race(self._subject), tries=TRIES)
        return None if self._ours(locks) or locks.holder is None else locks.holder[1]

    def held(self) -> bool:
        return self._ours(self._observer())

    def release(self) -> None:
        for step in plan_release(self._observer(), own_token(self._token), force=False).steps:
            self._applier(step)

    def _once(self, claim: Claim) -> Locks:
        seen = self._observer()
        plan = plan_acquire(seen, claim, force=False)
        for step in plan.steps:
            self._applier(step)
        after: Locks = plan.after(seen)
        return after

    def _ours(self, locks: Locks) -> bool:
        token = own_token(self._token)
        return token is not None and locks.held_by(token)
