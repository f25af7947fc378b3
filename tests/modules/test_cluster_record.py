# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_record against the simulated API."""

from __future__ import annotations

from simulated.shape import changes_once

NODE = "i-0123456789abcdef0"


def test_a_record_is_created_once_and_removed_with_any_content(account):
    options = {"cluster_arn": account.arn, "kind": "drained", "name": NODE, "value": {"reason": "memory"}, "owner": "ann"}
    made = changes_once(account, "cluster_record", unforeseen=["changes.after.since", f"records.drained.{NODE}.since"], **options)
    assert (made["records"]["drained"][NODE]["owner"], made["changes"][0]["action"]) == ("ann", "create")
    second = account.run("cluster_record", **{**options, "owner": "bob"})
    assert (second["changed"], second["records"], account.changes()) == (False, made["records"], [])
    parameter = f"/mlfleet/hyperpod/{account.id}/records/drained/no-node"
    account.client("ssm").put_parameter(Name=parameter, Value="{}", Type="String")
    for name, value in ((NODE, made["records"]["drained"][NODE]), ("no-node", {})):
        removal = {"cluster_arn": account.arn, "kind": "drained", "name": name, "state": "absent"}
        removed = changes_once(account, "cluster_record", **removal)
        assert [change["before"] for change in removed["changes"]] == [value]
    assert removed["records"] == {"drained": {}, "offboarded": {}, "adopted": {}, "repaired": {}, "rollout": {}}


def test_each_operation_is_one_call(account):
    options = {"cluster_arn": account.arn, "kind": "drained", "name": NODE}
    for state, call in (("present", "PutParameter"), ("absent", "DeleteParameter")):
        account.run("cluster_record", state=state, **options)
        assert account.changes() == [call]
