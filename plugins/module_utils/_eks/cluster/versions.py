# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Versions of Kubernetes: those that EKS offers, how long it supports them, and the allowed step of an upgrade. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.failure import Refused, refuse_option
from ..._core.text import printable
from ..._core.times import iso_time

Answer = t.Mapping[str, t.Any]
IN_STANDARD, IN_EXTENDED, OUT_OF_SUPPORT, UNKNOWN = "standard", "extended", "unsupported", "unknown"
_SUPPORT = {"STANDARD_SUPPORT": IN_STANDARD, "EXTENDED_SUPPORT": IN_EXTENDED, "UNSUPPORTED": OUT_OF_SUPPORT}


@dataclass(frozen=True)
class Version:
    """A version as DescribeClusterVersions returns it. Times are empty if EKS returns none."""

    name: str
    status: str = ""
    standard_ends: str = ""
    extended_ends: str = ""
    default: bool = False

    @classmethod
    def from_api(cls, answer: Answer) -> Version:
        """Old replies have only ``status``, which has the same values in a different spelling."""
        status = answer.get("versionStatus") or str(answer.get("status") or "").upper().replace("-", "_")
        return cls(
            name=answer["clusterVersion"],
            status=status,
            standard_ends=iso_time(answer.get("endOfStandardSupportDate")),
            extended_ends=iso_time(answer.get("endOfExtendedSupportDate")),
            default=bool(answer.get("defaultVersion")),
        )

    @property
    def support(self) -> str:
        return _SUPPORT.get(self.status, UNKNOWN)

    @property
    def is_offered(self) -> bool:
        return self.support in (IN_STANDARD, IN_EXTENDED)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "status": self.support,
            "end_of_standard_support": self.standard_ends or None,
            "end_of_extended_support": self.extended_ends or None,
        }


def numbers(version: str) -> tuple[int, ...]:
    """Major and minor version; empty if the text is no version."""
    parts = version.split(".")
    return tuple(int(part) for part in parts) if len(parts) == 2 and all(part.isdecimal() for part in parts) else ()


def find(versions: t.Iterable[Version], name: str) -> Version:
    """The version; one with unknown support if EKS does not list it."""
    return next((each for each in versions if each.name == name), Version(name))


def default_of(versions: t.Iterable[Version]) -> Version | None:
    """The version of a new cluster without a declared one."""
    return next((each for each in versions if each.default and each.is_offered), None)


def check_new(wanted: str, versions: t.Sequence[Version]) -> None:
    """:raises Refused: for a version that EKS does not offer for a new cluster."""
    if not find(versions, wanted).is_offered:
        refuse_option("version", wanted, _listed(_offered(versions)), "EKS does not offer this version")


def check_upgrade(resource: str, have: str, wanted: str, versions: t.Sequence[Version]) -> None:
    """:raises Refused: for anything but one minor version up, or a version that EKS does not offer."""
    if have == wanted:
        return
    step = (*numbers(have)[:1], *(minor + 1 for minor in numbers(have)[1:]))
    next_one = [each.name for each in versions if each.is_offered and numbers(each.name) == step]
    if wanted in next_one:
        return
    if numbers(wanted) < numbers(have):
        why = f"{resource} has {have}, and this module does not downgrade a cluster"
    elif numbers(wanted) > step:
        why = f"{resource} has {have}, and EKS upgrades by one minor version at a time"
    else:
        why = f"{resource} has {have}, and EKS does not offer this version"
    refuse_option("version", wanted, _listed([have, *next_one]), why)


@dataclass(frozen=True)
class Insight:
    """A check by EKS of whether an upgrade would break the cluster."""

    name: str
    status: str
    version: str = ""
    reason: str = ""

    @classmethod
    def from_api(cls, answer: Answer) -> Insight:
        found = answer.get("insightStatus") or {}
        return cls(
            name=printable(answer.get("name") or "unnamed"),
            status=found.get("status") or "UNKNOWN",
            version=answer.get("kubernetesVersion") or "",
            reason=printable(found.get("reason") or ""),
        )

    def concerns(self, wanted: str) -> bool:
        """Whether the insight is about the upgrade to ``wanted``. One without a version is about each upgrade."""
        return not numbers(self.version) or numbers(self.version) <= numbers(wanted)

    def __str__(self) -> str:
        return f"{self.name} ({self.reason})" if self.reason else self.name


def errors(insights: t.Iterable[Insight], wanted: str) -> list[Insight]:
    return [each for each in insights if each.status == "ERROR" and each.concerns(wanted)]


def check_insights(resource: str, wanted: str, insights: t.Iterable[Insight], accepted: t.Collection[str]) -> None:
    """:raises Refused: if EKS found errors that the user has not accepted by name."""
    left = [each for each in errors(insights, wanted) if each.name not in accepted]
    if left:
        raise Refused(
            f"version: {resource} is not ready for {wanted}: {'; '.join(map(str, left))}. Correct this and wait until EKS has "
            "checked again, which takes up to a day, or name the insights in accept_insights.",
            option="version",
        )


def insight_notes(resource: str, wanted: str, insights: t.Sequence[Insight]) -> t.Iterator[str]:
    """What the operator should read before an upgrade, although it does not stop it."""
    about = [each for each in insights if each.concerns(wanted)]
    if not about:
        yield f"EKS has no upgrade insights about {resource}, so nothing has checked whether it is ready for {wanted}."
    for each in about:
        if each.status != "PASSING":
            yield f"Upgrade insight of {resource}: {each.name} is {printable(each.status)}{each.reason and ': '}{each.reason}"


def _offered(versions: t.Iterable[Version]) -> list[str]:
    return sorted((each.name for each in versions if each.is_offered), key=numbers)


def _listed(names: t.Sequence[str]) -> str:
    return ", ".join(names) or "a version that EKS offers"
