# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error codes of refused calls."""

from __future__ import annotations

import typing as t

from botocore.exceptions import ClientError


def code(call: t.Callable[..., t.Any], **arguments: t.Any) -> str:
    """The error code of a call; empty if it succeeds."""
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""
