# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a plan."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Plan, Secret, Step


def test_the_diff_has_the_form_of_ansible():
    changes = (
        Change("create", "lock 1", "owner", None, "ann"),
        Change("update", "secret s", "keys", Secret.of("old"), Secret.of("new")),
        Change("delete", "parameter p"),
    )
    assert Plan(steps=(Step("Any", {}, changes),)).diff() == {
        "before": f"secret s: keys = {Secret.of('old')}\nparameter p\n",
        "after": f"lock 1: owner = ann\nsecret s: keys = {Secret.of('new')}\n",
    }
