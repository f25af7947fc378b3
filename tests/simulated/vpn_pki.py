# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of client_vpn_pki for one VPC, and the content of its secrets."""

from __future__ import annotations

import datetime
import json
import typing as t

from . import Simulated

VPC = "vpc-0123456789abcdef0"
PREFIX = f"mlfleet/hyperpod/client-vpn/{VPC}"
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def pki(lab: Simulated, **options: t.Any) -> t.Any:
    return lab.run("client_vpn_pki", **{"vpc_id": VPC, **options})


def held(lab: Simulated, name: str) -> t.Any:
    """Content of a secret, with private keys."""
    return json.loads(lab.client("secretsmanager").get_secret_value(SecretId=f"{PREFIX}/{name}")["SecretString"])
