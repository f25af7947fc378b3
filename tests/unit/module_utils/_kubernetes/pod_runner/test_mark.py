# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a run are found by label; an annotation holds how long they are needed."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.leftovers import left_behind
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.mark import Mark

MARK = Mark("mlfleet.hyperpod/look", "0a1b2c3d")


def test_labels_match_the_selector() -> None:
    labels = MARK.metadata("a", needed=1, labels={"b": "c"})["labels"]
    assert labels == {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", "mlfleet.hyperpod/look": "0a1b2c3d", "b": "c"}
    assert MARK.selector == "mlfleet.hyperpod/look=0a1b2c3d"


def test_an_object_that_is_still_needed_is_not_left_over() -> None:
    item = {"metadata": {**MARK.metadata("a", needed=90), "creationTimestamp": "2026-11-25T03:00:00Z"}}
    assert left_behind([item], "2026-11-25T03:01:30Z") == [] and left_behind([item], "2026-11-25T03:01:31Z") == ["a"]
