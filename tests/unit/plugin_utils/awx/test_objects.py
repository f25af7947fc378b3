# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import KINDS, Object

from .examples import objects


def test_each_wanted_kind_is_known() -> None:
    assert {each.kind for each in objects(awx_verbs=[])} <= set(KINDS)


def test_the_fields_of_an_object_are_its_values_the_names_of_others_and_sorted_lists() -> None:
    each = Object("job_template", "a", {"forks": 1, "project": 7}, {"project": "p"}, {"credentials": ("y", "x")})
    assert each.fields == {"forks": 1, "project": "p", "credentials": ["x", "y"]}
