# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The quotas, by code, and the families of instance types that a quota covers.

The codes and the default names are those of https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html. They are
not verified against live AWS. Therefore a quota counts only if the name that Service Quotas returns for its code covers the type.
For example, the quota of Spot Instances of type P exists with the names "All P Spot Instance Requests" and "All P4, P3 and P2 Spot
Instance Requests", and only the first of them covers P5.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ..service_quota.model import Quota
from .model import MARKETS, ON_DEMAND, SPOT

STANDARD = ("a", "c", "d", "h", "i", "im", "is", "m", "r", "t", "z")
GRAPHICS = ("g", "gr", "vt")
CODES: t.Mapping[str, t.Mapping[str, tuple[str, ...]]] = {
    ON_DEMAND: {
        "L-1216C47A": STANDARD,
        "L-DB2E81BA": GRAPHICS,
        "L-417A185B": ("p",),
        "L-1945791B": ("inf",),
        "L-2C3B7624": ("trn",),
        "L-74FC7D96": ("f",),
        "L-7295265B": ("x",),
        "L-6E869C2A": ("dl",),
        "L-F7808C92": ("hpc",),
        "L-43DA4232": ("u",),
    },
    SPOT: {
        "L-34B43A08": STANDARD,
        "L-3819A6DF": GRAPHICS,
        "L-7212CCBC": ("p",),
        "L-C4BD4855": ("p",),
        "L-B5D1601B": ("inf",),
        "L-6B0D517C": ("trn",),
        "L-88CF9481": ("f",),
        "L-E3A00192": ("x",),
        "L-85EED4F7": ("dl",),
    },
}
"""The families of instance types that a vCPU quota can cover, keyed by market and code."""
WORDS = {"gr": "g", "im": "i", "is": "i", "u": "high memory"}
"""The word for a family in the name of a quota, if it is not the family itself."""
NAMES = {ON_DEMAND: r"running on-demand (.+) instances", SPOT: r"all (.+) spot instance requests"}
FAMILY = re.compile(r"([a-z]+)-?([0-9]*)")
"""The family and the generation at the beginning of an instance type."""


@dataclass(frozen=True)
class Counted:
    """A quota for a number of resources. ``name`` is the name in AWS."""

    service: str
    code: str
    name: str

    def known(self, quotas: t.Mapping[str, Quota]) -> Quota | None:
        """The quota, if its code still has the expected name."""
        quota = quotas.get(self.code)
        return quota if quota is not None and quota.name.casefold() == self.name.casefold() else None


VPCS = Counted("vpc", "L-F678F1CE", "VPCs per Region")
NAT_GATEWAYS = Counted("vpc", "L-FE5A380F", "NAT gateways per Availability Zone")
ELASTIC_IPS = Counted("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs")
EKS_CLUSTERS = Counted("eks", "L-1194D53C", "Clusters")


def family(instance_type: str) -> str:
    """The letters before the generation, for example ``p`` in ``p6-b200.48xlarge``."""
    match = FAMILY.match(instance_type)
    return match.group(1) if match else ""


def codes(instance_type: str, market: str) -> list[str]:
    """The quotas that can cover the type. Empty if the family is unknown."""
    return [code for code, families in CODES[market].items() if family(instance_type) in families]


def covering(instance_type: str, market: str, quotas: t.Mapping[str, Quota]) -> Quota | None:
    """The quota whose name covers the type. None if no listed name does."""
    found = (quotas[code] for code in codes(instance_type, market) if code in quotas)
    return next((quota for quota in found if covers(quota.name, instance_type, market)), None)


def covers(name: str, instance_type: str, market: str) -> bool:
    """Whether the name of a quota lists the family of the type, or the family with the type's generation, such as P5."""
    words, match = re.fullmatch(NAMES[market], name.casefold()), FAMILY.match(instance_type)
    if words is None or match is None:
        return False
    word, generation = WORDS.get(match.group(1), match.group(1)), match.group(2)
    return re.search(rf"\b{re.escape(word)}({generation})?\b", words.group(1)) is not None


def described(instance_type: str, market: str) -> str:
    """The name for a quota that is not known."""
    return f"vCPUs of {MARKETS[market]} instances of family {family(instance_type) or instance_type}"
