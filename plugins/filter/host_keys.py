# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared host keys and their rotation, for roles."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import host_key_rotation


def host_key_pairs(content: t.Mapping[str, t.Any], public_keys: t.Iterable[str]) -> dict[str, t.Any]:
    """The pairs of these public keys, by type."""
    try:
        return host_key_rotation.pairs_of(content, public_keys)
    except host_key_rotation.MissingPair as error:
        raise AnsibleFilterError(str(error)) from None


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"host_key_pairs": host_key_pairs, "absent_people": host_key_rotation.absent_people}
