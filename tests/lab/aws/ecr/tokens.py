# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Passwords of registries. Each account has another one in each Region, and none changes, unlike in AWS."""

from __future__ import annotations

import base64
import hashlib
import json

USER = "AWS"


def password(account: str, region: str) -> str:
    secret = hashlib.sha256(f"{account} {region}".encode()).hexdigest()
    return base64.b64encode(json.dumps({"payload": secret * 20, "type": "DATA_KEY", "expiration": 1800000000}).encode()).decode()


def token(account: str, region: str) -> str:
    """As GetAuthorizationToken returns it."""
    return base64.b64encode(f"{USER}:{password(account, region)}".encode()).decode()
