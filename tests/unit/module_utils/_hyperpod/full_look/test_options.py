# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the options ends or may be renewed next."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look import options

NOW = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    ("ends", "due"),
    [
        ([], ""),
        ([{"until": "2027-01-31T00:00:00Z", "days": 30}], "2027-01-01T00:00:00Z"),
        ([{"until": "2027-01-31T00:00:00Z", "days": 30}, {"until": "2026-12-24T00:00:00+00:00"}], "2026-12-24T00:00:00Z"),
        ([{"until": "2026-12-01T00:00:00Z", "days": 30}], "2026-12-01T00:00:00Z"),  # renewing was not possible, or is not ours
        ([{"until": "2026-11-21T12:00:00Z", "days": -30}], "2026-12-21T12:00:00Z"),  # a rotation
        ([{"until": "2026-01-01T00:00:00Z"}], ""),
        ([{"until": "soon"}], "2026-11-22T12:00:00Z"),
    ],
)
def test_what_is_due_is_the_next_of_all(ends, due):
    assert options.due(ends, now=NOW) == due
