# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of ``client_vpn_certificate``."""

from __future__ import annotations

import typing as t

from .model import Imported, State


def result(state: State) -> dict[str, t.Any]:
    return {"client_vpn_certificate": _imported(state.ours[0]) if state.ours else None}


def _imported(found: Imported) -> dict[str, t.Any]:
    return {
        "certificate_arn": found.arn,
        "fingerprint": found.certificate.fingerprint,
        "not_after": found.certificate.not_after,
        "key_algorithm": found.certificate.key_algorithm,
        "in_use_by": list(found.in_use_by),
        "tags": dict(found.tags),
    }
