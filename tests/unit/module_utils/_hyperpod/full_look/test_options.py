# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next date on which something of the options expires or can be renewed."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look import options

NOW = datetime.datetime(2026, 11, 22, 12, 0, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    ("ends", "due"),
    [
        ([], ""),
        ([{"until": "2027-01-31T00:00:00Z", "days": 30}], "2027-01-01T00:00:00Z"),
        ([{"until": "2027-01-31T00:00:00Z", "days": 30}, {"until": "2026-12-24T00:00:00+00:00"}], "2026-12-24T00:00:00Z"),
        ([{"until": "2026-12-01T00:00:00Z", "days": 30}], "2026-12-01T00:00:00Z"),  # renewal was not possible, or is done elsewhere
        ([{"until": "2026-11-21T12:00:00Z", "days": -30}], "2026-12-21T12:00:00Z"),  # a rotation
        ([{"until": "2026-01-01T00:00:00Z"}], ""),
        ([{"until": "soon"}], "2026-11-22T12:00:00Z"),
    ],
)
def test_the_earliest_due_date_is_used(ends, due):
    assert options.due(ends, now=NOW) == due


@pytest.mark.parametrize(
    ("began", "complete", "since"),
    [
        ({"time": "2026-11-22T12:00:00Z"}, True, "2026-11-22T12:00:00Z"),
        ({"time": "2026-11-22T13:00:00+01:00"}, True, "2026-11-22T12:00:00Z"),
        ({"time": "2026-11-22T12:00:00Z"}, False, ""),
        ({"time": ""}, True, ""),  # a node was not in the inventory
        ({}, True, ""),
        (None, True, ""),
    ],
)
def test_only_a_complete_look_has_a_time(began, complete, since):
    assert options.complete_since({"began": began, "complete": complete}) == since


@pytest.mark.parametrize("time", ["soon", "2026-11-22T12:00:00", "", "{{ now }}"])
def test_the_time_of_an_event_has_a_time_zone(time):
    with pytest.raises(Refused, match="^time: .* is not allowed. Allowed: an ISO time with a time zone"):
        options.event_time({"time": time})
