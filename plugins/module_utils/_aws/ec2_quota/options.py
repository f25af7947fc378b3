# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts a module's options to planned resources, and refuses invalid ones."""

from __future__ import annotations

import collections
import re
import typing as t

from ..._core.checks import check_number
from ..._core.failure import refuse_option
from .model import Kind, Planned

TYPE, TYPE_ALLOWED = r"[a-z0-9-]+\.[a-z0-9-]+", "an instance type of EC2 such as p5.48xlarge"
ZONE, ZONE_ALLOWED = r"[a-z]{2}(-[a-z0-9]+)+-[0-9]+[a-z]", "the name of an Availability Zone such as us-west-2a"
MOST_INSTANCES, MOST_RESOURCES = 10_000, 1000
COUNTS = ("vpcs", "elastic_ips", "eks_clusters")


def planned(params: t.Mapping[str, t.Any]) -> Planned:
    """Entries with the count 0 plan nothing.

    :raises Refused: for the first invalid option.
    """
    instances: collections.Counter[Kind] = collections.Counter()
    for each in params["planned"] or ():
        name = each["instance_type"]
        if not re.fullmatch(TYPE, name) or name.startswith("ml."):
            refuse_option("planned.instance_type", name, TYPE_ALLOWED)
        instances[name, each["market"]] += check_number("planned.count", each["count"], 0, MOST_INSTANCES)
    zones: collections.Counter[str] = collections.Counter()
    for each in params["nat_gateways"] or ():
        if not re.fullmatch(ZONE, each["zone"]):
            refuse_option("nat_gateways.zone", each["zone"], ZONE_ALLOWED)
        zones[each["zone"]] += check_number("nat_gateways.count", each["count"], 0, MOST_RESOURCES)
    counts = {name: check_number(name, params[name], 0, MOST_RESOURCES) for name in COUNTS}
    return Planned(instances=+instances, nat_gateways=+zones, **counts)
