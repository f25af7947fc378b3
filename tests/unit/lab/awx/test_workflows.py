# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes of a workflow run next."""

from __future__ import annotations

import pytest
from lab.awx.workflows import ALWAYS, FAILURE, SUCCESS, Next, Node, following


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([], Next((), (), "successful")),
        ([Node(1, {}), Node(2, {})], Next((1, 2), ())),
        ([Node(1, {SUCCESS: [2]}, "running"), Node(2, {})], Next((), ())),
        ([Node(1, {SUCCESS: [2], FAILURE: [3], ALWAYS: [4]}, "successful"), *(Node(n, {}) for n in (2, 3, 4))], Next((2, 4), (3,))),
        ([Node(1, {SUCCESS: [2], FAILURE: [3], ALWAYS: [4]}, "canceled"), *(Node(n, {}) for n in (2, 3, 4))], Next((3, 4), (2,))),
        ([Node(1, {SUCCESS: [2]}, "failed"), Node(2, {SUCCESS: [3]}, is_skipped=True), Node(3, {})], Next((), (3,))),
        ([Node(1, {SUCCESS: [2]}, "failed"), Node(2, {}, is_skipped=True)], Next((), (), "failed")),
        ([Node(1, {FAILURE: [2]}, "failed"), Node(2, {}, "successful")], Next((), (), "successful")),
        ([Node(1, {SUCCESS: [3]}, "successful"), Node(2, {SUCCESS: [3]}, "failed"), Node(3, {})], Next((3,), ())),
        ([Node(1, {SUCCESS: [3]}, "successful"), Node(2, {SUCCESS: [3]}, "failed"), Node(3, {}, needs_all=True)], Next((), (3,))),
        ([Node(1, {SUCCESS: [3]}, "successful"), Node(2, {SUCCESS: [3]}, "running"), Node(3, {})], Next((), ())),
    ],
)
def test_the_next_nodes(nodes: list[Node], expected: Next) -> None:
    assert following(nodes) == expected
