# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the identity that runs the playbook will have access to the Kubernetes API of a new cluster."""

from __future__ import annotations

import re
import typing as t

_SESSION = re.compile(r"arn:(aws[a-z-]*):sts::([0-9]{12}):assumed-role/([^/]+)/.+")


def is_among(caller: str, principals: t.Iterable[str]) -> bool:
    """Whether one of the IAM principals is the caller.

    The ARN of a session contains the name of the role, but not its path, so paths are not compared.

    :param caller: ARN of GetCallerIdentity.
    """
    return _identity(caller) in {_identity(each) for each in principals}


def advised(caller: str) -> str:
    """The ARN that an access entry needs. The path of an assumed role is unknown."""
    match = _SESSION.fullmatch(caller)
    return f"arn:{match[1]}:iam::{match[2]}:role/{match[3]}" if match else caller


def _identity(arn: str) -> tuple[str, str, str]:
    """Account, type and name."""
    _arn, _partition, _service, _region, account, rest = advised(arn).split(":", 5)
    kind, _slash, name = rest.partition("/")
    return account, kind, name.rpartition("/")[2]
