# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""price_info without the Price List API, which the simulated AWS lacks."""

from __future__ import annotations

from simulated.shape import reads


def test_prices_of_the_table_with_its_date_and_unknown_ones(simulator, faults):
    faults(kind="deny", operation="GetProducts")
    nodes = [{"instance_type": "ml.p4d.24xlarge", "count": 2}, {"instance_type": "ml.m5.large", "count": 1}]
    found = reads(simulator, "price_info", planned=nodes)
    assert [(each["total_per_hour"], each["source"]) for each in found["prices"]] == [(51.82, "table of 2026-10"), (None, "unknown")]
    assert found["unknown"] == ["ml.m5.large"] and "The Price List API could not be queried" in found["notes"][0]
    assert found["told"] == "about 51.82 USD an hour (2 x ml.p4d.24xlarge 51.82; 1 x ml.m5.large: price unknown)"


def test_bad_input_is_refused(simulator):
    assert "planned.count: 0" in simulator.run("price_info", planned=[{"instance_type": "ml.m5.large", "count": 0}])["msg"]
