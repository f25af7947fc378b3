# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a rollout: only one call at a time takes a step. The lock stays held while the verb runs for a wave."""

from __future__ import annotations

from ..._aws.client import Api
from ..._core.converge import retried
from ..._core.plan import Plan
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
    def __init__(self, ssm: Api, name: str, region: str) -> None:
        self._subject = lock_subject(name, region)
        self._observer = Observer(ssm, self._subject)
        self._applier = Applier(ssm, self._subject, self._observer)

    def acquire(self, *, minutes: int | None) -> Claim | None:
        """Acquire the lock. Returns the claim of the other call that holds it, or None.

        :param minutes: the maximum duration of a wave.
        """
        ttl = max(TTL, 2 * 60 * (minutes or 0))
        plan, locks = retried(lambda: self._once(own_claim(ttl=ttl)), message=lost_race(self._subject), tries=TRIES)
        del plan
        return None if self._ours(locks) else locks.holder[1] if locks.holder else None

    def held(self) -> bool:
        return self._ours(self._observer())

    def release(self) -> None:
        for step in plan_release(self._observer(), own_token(), force=False).steps:
            self._applier(step)

    def _once(self, claim: Claim) -> tuple[Plan, Locks]:
        seen = self._observer()
        plan = plan_acquire(seen, claim, force=False)
        for step in plan.steps:
            self._applier(step)
        return plan, plan.after(seen)

    @staticmethod
    def _ours(locks: Locks) -> bool:
        token = own_token()
        return token is not None and locks.held_by(token)
