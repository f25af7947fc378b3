# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of slurm_user."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.user import options


@pytest.mark.parametrize("params", [{"name": "a b"}, {"name": "x", "timeout": 0}, {"name": "-x"}])
def test_invalid_options_are_refused(params: dict) -> None:
    with pytest.raises(Refused, match="is not allowed"):
        options.desired({"uid": None, "jobs": "report", "timeout": 60, **params})
