# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Price List API, which moto lacks: operation GetProducts. Settings ``price_list`` and ``prices`` are in :mod:`lab.aws.cloud`."""

from __future__ import annotations

import re
import sys
import typing as t

from .. import cloud

if t.TYPE_CHECKING:
    from ..request import Call

SERVICE = "pricing"
ENDPOINTS = ("us-east-1", "eu-central-1", "ap-south-1", "cn-northwest-1")
"""Regions with this API: https://docs.aws.amazon.com/general/latest/gr/billing.html"""


def install(this_cloud: cloud.Cloud) -> None:
    """Add a backend to moto, which finds the backend of a request by its host and imports it by its name."""
    from moto import backend_index

    from . import models, urls

    sys.modules[f"moto.{SERVICE}"] = models
    backend_index.backend_url_patterns.append((SERVICE, re.compile(urls.url_bases[0])))


def unreachable(call: Call) -> bool:
    """Whether the Region of the call has no endpoint, so that a client cannot connect."""
    return call.service == SERVICE and bool(cloud.current().settings["price_list"]) and call.region not in ENDPOINTS
