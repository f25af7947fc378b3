# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A Lease, which only one run at a time holds. A run that no longer renews it loses it. All times are the API server's.

The modules of one run may share the Lease, by the name of the run.
"""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from .._core.failure import Failure, refuse_shown
from .._core.text import printable
from .._core.times import iso_seconds, moment_of
from .._core.wait import Clock
from .client import CONFLICT, NOT_FOUND, Kubernetes, KubernetesError, Object
from .namespace import check_name
from .objects.model import MANAGED_BY, US
from .patience import answer

API = "coordination.k8s.io/v1"
LEASE = "mlfleet-training"
"""The name of the Lease of verifications of training."""
SECONDS = 120
"""Seconds after which a run that no longer renews its Lease counts as dead; more if Pods are polled less often."""
OPTION = {
    "type": "dict",
    "options": {"namespace": {"type": "str", "required": True}, "holder": {"type": "str", "required": True}},
}
TURNS = 3
"""Attempts to acquire a Lease that other runs release or acquire at the same time."""
LONGEST, LONGEST_NAME = 3600, 200
"""Limits of what another run may have written: seconds, and characters of its name."""


class LeaseLost(Failure):
    """Another run holds the Lease, or it was deleted."""


@dataclass(frozen=True)
class Holder:
    """Another run that holds the Lease."""

    name: str
    since: str
    until: str
    """The time at which the Lease expires unless the run renews it."""


class Lease:
    def __init__(
        self,
        kubernetes: Kubernetes,
        namespace: str,
        name: str,
        *,
        holder: str,
        seconds: float,
        clock: Clock = Clock(),
        shared: bool = False,
    ) -> None:
        """
        :param holder: identifies the run, and names it for people.
        :param seconds: the time after which the Lease expires unless it is renewed.
        :param shared: whether other processes of the run renew the Lease as well. A process that was not interrupted keeps it.
        """
        self.kubernetes = kubernetes
        self.namespace = namespace
        self.name = name
        self.holder = holder
        self.seconds = int(seconds)
        self.shared = shared
        self.clock = clock
        self.leases = f"/apis/{API}/namespaces/{namespace}/leases"
        self.path = f"{self.leases}/{name}"
        self._version = ""
        """The resourceVersion; empty if this run does not hold the Lease."""
        self._renewed = 0.0
        """When this run renewed the Lease, by its clock."""
        self._begun = False
        """Whether this run may hold the Lease."""

    def acquire(self, create: t.Callable[[str, Object], Object]) -> Holder | None:
        """Acquire the Lease if it is free, has expired or is held by this run. Otherwise return its holder.

        :param create: creates an object at a path.
        :raises KubernetesError: if the API server refuses the Lease.
        """
        for _turn in range(TURNS):
            self._begun = True
            try:
                made = create(self.leases, self._body(self.name))
                self._hold(made, made["metadata"]["creationTimestamp"])
                return None
            except KubernetesError as error:
                if error.status != CONFLICT:
                    raise
            found = self.kubernetes.find(self.path)
            if found is None:
                continue
            now = self._now()
            other = self._other(found, now)
            if other:
                self._begun = False
                return other
            try:
                self._hold(self.kubernetes.merge(self.path, self._taken_over(found, now)), now)
                return None
            except KubernetesError as error:
                if error.status not in (CONFLICT, NOT_FOUND):
                    raise
        raise LeaseLost(f"Other runs acquire and release Lease {self.described} at the same time. Run again later.")

    def require(self, create: t.Callable[[str, Object], Object]) -> None:
        """Acquire the Lease as ``acquire`` does.

        :raises LeaseLost: if another run holds it.
        """
        other = self.acquire(create)
        if other:
            raise LeaseLost(self.held_by(other))

    def other(self) -> Holder | None:
        """The other run that holds the Lease, without a change of the Lease.

        :raises KubernetesError: if the API server refuses a request.
        """
        found = self.kubernetes.find(self.path)
        return self._other(found, self._now()) if found else None

    def held_by(self, other: Holder) -> str:
        who = f"Another verification ({other.name}) holds Lease {self.described} since {other.since}"
        return f"{who}. Wait until it has ended; if it was killed, its Lease expires at {other.until}."

    def keep(self) -> None:
        """Renew the Lease if a third of its time has passed. The next call repeats an attempt that failed for a transient reason.

        :raises LeaseLost: if this run does not hold the Lease any longer.
        """
        if not self._version or self.clock.now() - self._renewed < self.seconds / 3:
            return
        body = {"metadata": {"resourceVersion": self._version}, "spec": {"renewTime": self._time()}}
        try:
            self._version = self.kubernetes.merge(self.path, body)["metadata"]["resourceVersion"]
            self._renewed = self.clock.now()
        except KubernetesError as error:
            if error.passes:
                return
            self._version = ""
            text = f"This run ended because it could not renew Lease {self.described} ({error})"
            raise LeaseLost(f"{text}. Check whether another run has begun.") from None

    def release(self) -> str:
        """Delete the Lease if this run holds it. Return why this failed; empty if it succeeded."""
        return self.remove() if self._begun else ""

    def remove(self) -> str:
        """Delete the Lease if this run holds it, also through another process. Return why this failed; empty if it succeeded."""
        try:
            answer(self._release, self.clock)
        except KubernetesError as error:
            return f"Lease {self.described} could not be removed ({error}). It expires after {self.seconds} s."
        self._version, self._begun = "", False
        return ""

    @property
    def described(self) -> str:
        return f"{self.namespace}/{self.name}"

    def _release(self) -> None:
        found = self.kubernetes.find(self.path)
        if found is None or not self._holds(found):
            return
        same = {name: found["metadata"][name] for name in ("uid", "resourceVersion")}
        try:
            self.kubernetes.delete(self.path, {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": same})
        except KubernetesError as error:
            if error.status != CONFLICT:
                raise

    def _body(self, name: str) -> Object:
        """The Lease without times. Until it is renewed, the time of its creation counts."""
        metadata = {"name": name, "labels": {MANAGED_BY: US}}
        spec = {"holderIdentity": self.holder, "leaseDurationSeconds": self.seconds}
        return {"apiVersion": API, "kind": "Lease", "metadata": metadata, "spec": spec}

    def _other(self, found: Object, now: str) -> Holder | None:
        other = _holder(found)
        return other if now < other.until and not self._holds(found) else None

    def _holds(self, found: Object) -> bool:
        return (found.get("spec") or {}).get("holderIdentity") == self.holder

    def _taken_over(self, found: Object, now: str) -> Object:
        """The change of an expired or own Lease, which the API server refuses if the Lease has changed since it was read."""
        body = self._body(self.name)
        names = ("renewTime",) if self._holds(found) else ("acquireTime", "renewTime")
        labels, times = body["metadata"]["labels"], dict.fromkeys(names, _micro(moment_of(now)))
        metadata = {"resourceVersion": found["metadata"]["resourceVersion"], "labels": labels}
        return {"metadata": metadata, "spec": {**body["spec"], **times}}

    def _hold(self, made: Object, now: str) -> None:
        self._base, self._version = moment_of(now), made["metadata"]["resourceVersion"]
        self._since = self._renewed = self.clock.now()

    def _time(self) -> str:
        """The API server's time, by the clock of this process since the Lease was acquired."""
        return _micro(self._base + datetime.timedelta(seconds=self.clock.now() - self._since))

    def _now(self) -> str:
        """The API server's time, from a Lease that is not stored."""
        made = self.kubernetes.create(f"{self.leases}?dryRun=All", self._body(f"{self.name}-time"))
        return str(made["metadata"]["creationTimestamp"])


def seconds(interval: float) -> float:
    """:param interval: seconds between two polls of the Pods. A poll also renews the Lease."""
    return max(SECONDS, 3 * interval)


def lease_of(kubernetes: Kubernetes, given: t.Mapping[str, t.Any] | None, interval: float) -> Lease | None:
    """The Lease that the option ``lease`` names; None without the option.

    :raises Refused: for an invalid option.
    """
    if not given:
        return None
    check_name(given["namespace"], of_teams=True)
    holder = check_holder("lease.holder", given["holder"])
    return Lease(kubernetes, given["namespace"], LEASE, holder=holder, seconds=seconds(interval), shared=True)


def check_holder(option: str, holder: str) -> str:
    """:raises Refused: for an invalid name of a run."""
    if not 1 <= len(holder) <= LONGEST_NAME or printable(holder) != holder:
        refuse_shown(option, repr(holder[:LONGEST_NAME]), f"1 to {LONGEST_NAME} printable characters")
    return holder


def _holder(found: Object) -> Holder:
    spec, created = found.get("spec") or {}, found["metadata"]["creationTimestamp"]
    since, renewed = (_moment(spec.get(name)) or moment_of(created) for name in ("acquireTime", "renewTime"))
    seconds = spec.get("leaseDurationSeconds")
    valid = min(seconds, LONGEST) if isinstance(seconds, int) else 0
    name = printable(spec.get("holderIdentity") or "unknown")[:LONGEST_NAME]
    return Holder(name, iso_seconds(since), iso_seconds(renewed + datetime.timedelta(seconds=valid)))


def _moment(text: t.Any) -> datetime.datetime | None:
    try:
        return moment_of(str(text))
    except ValueError:
        return None


def _micro(moment: datetime.datetime) -> str:
    """The form of a MicroTime."""
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
