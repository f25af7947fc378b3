# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the role status."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._host_keys.certificate.signing import read_certificate


def certificate_ends(host_keys: t.Any) -> list[dict[str, t.Any]]:
    """The types and expiry times of host certificates. ``host_keys`` is untrusted data of a node. Invalid entries are left out."""
    found = []
    for each in host_keys if isinstance(host_keys, (list, tuple)) else ():
        certificate = read_certificate(str(each.get("certificate") or "")) if isinstance(each, t.Mapping) else None
        if certificate is not None:
            found.append({"type": certificate.key.type, "ends": iso_seconds(certificate.ends) if certificate.ends else None})
    return found


class FilterModule:
    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {
            "certificate_ends": certificate_ends,
        }
