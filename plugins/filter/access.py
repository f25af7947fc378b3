# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report about who can log in to which cluster."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import access, access_formats
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_users import BadUsersFile


def cluster_access(
    nodes: t.Mapping[str, t.Any],
    users: t.Sequence[t.Mapping[str, t.Any]],
    files: t.Sequence[str],
    offboarded: t.Mapping[str, t.Any],
    operations_user: str,
) -> dict[str, t.Any]:
    """What the nodes of a cluster say, held against what is declared."""
    try:
        return access.of_cluster(
            plain(nodes), users=users, files=files, offboarded=offboarded, operations_user=operations_user
        )
    except BadUsersFile as error:
        raise AnsibleFilterError(str(error)) from error


def access_report(clusters: t.Mapping[str, t.Any], form: str, not_read: t.Sequence[str] = ()) -> str | list[str]:
    """The parts of all clusters as a text, or as the lines of a table, with what the inventory could not read."""
    parts, missing = plain(clusters), plain(not_read)
    if form == "json":
        return access_formats.to_json(parts, created=iso_now(), not_read=missing)
    if form == "csv":
        return access_formats.to_csv(parts, not_read=missing)
    if form == "table":
        return access_formats.to_table(parts, not_read=missing)
    raise AnsibleFilterError(not_allowed("access_report", form, "json, csv and table are"))


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"cluster_access": cluster_access, "access_report": access_report}
