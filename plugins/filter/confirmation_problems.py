# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether somebody confirmed what a run takes away."""

from __future__ import annotations

DOCUMENTATION = r"""
name: confirmation_problems
short_description: Why a run lacks its confirmation
version_added: 0.1.0
author:
  - mlfleet (@mlfleet)
description:
  - A confirmation names each cluster of the run, and no other.
notes:
  - Internal to the collection; it may change with any version.
positional: option, keys, consequence
options:
  _input:
    description: What was confirmed, keys of clusters as a list or a text with commas.
    type: raw
    required: true
  option:
    description: The name of the variable.
    type: str
    required: true
  keys:
    description: The clusters of the run.
    type: list
    elements: str
    required: true
  consequence:
    description: What the run would do, as part of a sentence.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Show what is missing
  ansible.builtin.debug:
    msg: "{{ 'ml' | mlfleet.hyperpod.confirmation_problems('teardown_confirm', ['ml', 'other'], 'it takes the login away') }}"
"""

RETURN = r"""
_value:
  description: One sentence, or none.
  type: list
  elements: str
  sample: []
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import run_scope


def confirmation_problems(confirmed: t.Any, option: str, keys: t.Sequence[str], consequence: str) -> list[str]:
    return run_scope.confirmation_problems(option, confirmed, keys, consequence)


class FilterModule:
    """Registers the filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        return {"confirmation_problems": confirmation_problems}
