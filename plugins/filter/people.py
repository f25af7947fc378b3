# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declaration of people, from variables and user files, with those left out who were offboarded."""

from __future__ import annotations

import functools
import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people, people_digests
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_users import BadUsersFile


def _told(body: t.Callable[..., t.Any]) -> t.Callable[..., t.Any]:
    """What is wrong with a file, as the error of a filter."""

    @functools.wraps(body)
    def run(*arguments: t.Any) -> t.Any:
        try:
            return body(*arguments)
        except BadUsersFile as error:
            raise AnsibleFilterError(str(error)) from error

    return run


class FilterModule:
    """Registers the filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {
            "declared_people": _told(declared_people.declared),
            "without_offboarded": declared_people.honoured,
            "group_representatives": people_digests.group_representatives,
        }
