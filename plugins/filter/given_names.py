# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that people give as a list or as a text with commas."""

from __future__ import annotations

DOCUMENTATION = r"""
name: given_names
short_description: The names in a list or in a text with commas
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - Each name once, without blanks around it. What is neither list nor text counts as one name.
notes:
  - Internal to the collection; it may change with any version.
options:
  _input:
    description: Names as a list or a text with commas.
    type: raw
    required: true
"""

EXAMPLES = r"""
- name: Show who is meant
  ansible.builtin.debug:
    msg: "{{ 'alice, bob' | mlfleet.hyperpod.given_names }}"
"""

RETURN = r"""
_value:
  description: The names.
  type: list
  elements: str
  sample: [alice, bob]
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"given_names": given_names}
