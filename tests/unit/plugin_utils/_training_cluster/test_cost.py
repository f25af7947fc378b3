# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of a plan."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.cost import cost
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import Priced, Row, planned

GPUS, DISKS, LUSTRE = Priced("ec2_instance", 2, "g5.8xlarge"), Priced("gp3_volume", 2, gib=200), Priced("lustre_file_system", 1, gib=1200)
ROWS = [Row("vpc", "ml", "keep"), Row("eks_nodegroup", "a", "create", "", (GPUS, DISKS)), Row("file_system", "ml", "keep", "", (LUSTRE,))]


def prices(*each: float | None) -> dict[str, t.Any]:
    found = [
        {"instance_type": "", "gib": 0, **option, "price_per_hour": price} for option, price in zip(planned(ROWS), each, strict=True)
    ]
    return {"prices": found, "currency": "USD", "unknown": [row["kind"] for row in found if row["price_per_hour"] is None]}


def test_each_row_has_its_price_and_all_rows_the_total() -> None:
    found = cost(ROWS, prices(2.448, 0.02, 0.23))
    assert found.of_rows == ("", "4.94 USD an hour", "0.23 USD an hour")
    assert (found.total, found.currency, found.unknown) == (5.166, "USD", ())


def test_an_unknown_price_is_not_zero() -> None:
    found = cost(ROWS, prices(2.448, None, None))
    assert found.of_rows == ("", "price unknown", "price unknown")
    assert found.refused([]) == ("gp3_volume", "lustre_file_system")
    assert found.refused(["lustre_file_system"]) == ("gp3_volume",)


def test_known_parts_of_an_incomplete_row_count() -> None:
    assert cost(ROWS, prices(2.448, None, 0.23)).total == 5.126
