# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of offboarded_home."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.offboarded_home import options


@pytest.mark.parametrize(
    "params", [{"home": "/fsx"}, {"home": "fsx/m"}, {"home": "/fsx/../etc"}, {"home": "/fsx/a b"}, {"uid": 0}]
)
def test_invalid_options_are_refused(params: dict) -> None:
    given = {"name": "mallory", "uid": 20003, "gid": None, "home": "/fsx/m", "keys": "list", "archive": False}
    with pytest.raises(Refused, match="is not allowed"):
        options.desired({**given, "shared_home_roots": ["/fsx"], **params})
