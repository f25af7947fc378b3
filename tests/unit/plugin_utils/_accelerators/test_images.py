# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The image of a node."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.images import image

GROUP = {"image_id": "ami-2", "image_release_version": "1.0.2"}


@pytest.mark.parametrize(
    ("node", "group", "expected"),
    [
        ({"image_id": "ami-1", "image_release_version": "1.0.1"}, GROUP, "ami-1, release 1.0.1"),
        ({"image_id": "ami-1"}, GROUP, "ami-1"),
        ({"image_id": "", "image_release_version": "1.0.1"}, GROUP, "release 1.0.1"),
        ({"image_id": "", "image_release_version": ""}, GROUP, "ami-2, release 1.0.2"),
        ({}, {}, ""),
        ({"image_id": "ami\x1b[2J\n1"}, {}, "ami?[2J 1"),
    ],
)
def test_the_image_of_the_node_precedes_that_of_the_group(node: dict[str, t.Any], group: dict[str, t.Any], expected: str) -> None:
    assert image(node, group) == expected
