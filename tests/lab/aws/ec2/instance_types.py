# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of instance types, from moto's copy of EC2's data.

Setting ``network_card_interface_types``: with false, descriptions lack ``InterfaceTypes`` of network cards, as for an older botocore.
"""

from __future__ import annotations

import typing as t

from moto.ec2.models.instance_types import INSTANCE_TYPES

from .. import cloud


def described(name: str) -> dict[str, t.Any]:
    found: dict[str, t.Any] = INSTANCE_TYPES[name]
    if cloud.current().settings["network_card_interface_types"]:
        return found
    network = found["NetworkInfo"]
    cards = [{key: value for key, value in card.items() if key != "InterfaceTypes"} for card in network["NetworkCards"]]
    return {**found, "NetworkInfo": {**network, "NetworkCards": cards}}
