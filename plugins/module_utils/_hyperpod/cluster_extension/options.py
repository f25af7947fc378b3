# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired extension from a module's options."""

from __future__ import annotations

import json
import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.failure import refuse_option
from .model import Desired

NAME = r"[a-z]([a-z0-9]|-[a-z0-9])*"
VERSION = r"\d+\.\d+\.\d+"
_LONGEST = 10240


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    name, version, configuration = params["name"], params["version"], params["configuration"] or {}
    if not re.fullmatch(NAME, name) or len(name) > 128:
        refuse_option("name", name, "the name of an extension such as sagemaker-observability")
    if version is not None and not re.fullmatch(VERSION, version):
        refuse_option("version", version, "a version such as 1.0.0")
    if len(json.dumps(configuration)) > _LONGEST:
        refuse_option("configuration", configuration, f"at most {_LONGEST} characters of JSON")
    return Desired(
        cluster_arn=ClusterArn.parse(params["cluster_arn"]).text,
        name=name,
        present=params["state"] == "present",
        version=version,
        configuration=configuration,
    )
