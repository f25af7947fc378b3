# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times in UTC, in one ISO 8601 form."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch, iso_now, iso_seconds, moment_of

NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    "text", ["2026-11-21T12:00:00Z", "2026-11-21T12:00:00+00:00", "2026-11-21T13:30:00+01:30", "2026-11-21T12:00:00.000Z"]
)
def test_a_moment_has_one_form_in_utc(text):
    assert moment_of(text) == NOON
    assert iso_seconds(moment_of(text)) == "2026-11-21T12:00:00Z"


@pytest.mark.parametrize("seconds", [NOON.timestamp(), NOON.timestamp() + 0.999])
def test_seconds_since_1970_are_not_rounded_up(seconds):
    assert iso_epoch(seconds) == "2026-11-21T12:00:00Z"


@pytest.mark.parametrize("text", ["", "yesterday", "1764590400"])
def test_invalid_times_are_refused(text):
    with pytest.raises(ValueError):
        moment_of(text)


def test_iso_now_is_the_current_time():
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    assert before <= moment_of(iso_now()) <= datetime.datetime.now(datetime.timezone.utc)
