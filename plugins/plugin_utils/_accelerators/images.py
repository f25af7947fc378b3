# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The image of a node as text."""

from __future__ import annotations

import typing as t

from ..untrusted import line

Fields = t.Mapping[str, t.Any]


def image(node: Fields, group: Fields) -> str:
    """The image's ID and release, from the node or else from its instance group; empty if AWS returns neither.

    Both are included, because during an update AWS may return an ID that is not the node's, and several images may share a release.
    """
    return _words(node) or _words(group)


def _words(place: Fields) -> str:
    release = line(place.get("image_release_version"))
    return ", ".join(filter(None, (line(place.get("image_id")), f"release {release}" if release else "")))
