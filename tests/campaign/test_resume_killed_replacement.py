"""A run of replace_nodes is killed during its request to AWS: the next reconcile configures the new nodes."""

from __future__ import annotations

import pytest
from harness import World
from mishaps import Started, held, release, run_until
from steps import step
from work import slurm_state

QUICK = ("-e", "drain_reason=ticket", "-e", "drain_settle=0", "-e", "drain_timeout=60", "-e", "drain_force=true")


def killed_once_replaced(world: World, *nodes: str) -> None:
    world.fault(kind="hold", operation="BatchReplaceClusterNodes")
    run = Started(world, "replace_nodes", "-e", f"replace_nodes={','.join(nodes)}", *QUICK)
    assert run_until(run, lambda: bool(held(world))), run.end().log
    run.kill()
    release(world)


def healed(world: World) -> None:
    done = world.playbook("reconcile")
    assert (done.rc, done.status) == (0, "changed"), done.log
    world.expect_all_serve()


@pytest.mark.slow
def test_reconcile_completes_killed_replacements_of_a_login_node_and_a_worker(ready: World) -> None:
    worker, login = ready.hosts("worker-group-1")[0], ready.login_nodes()[0]
    with step("a login node"):
        killed_once_replaced(ready, login["instance_id"])
        healed(ready)
    with step("a worker"):
        killed_once_replaced(ready, worker["instance_id"])
        healed(ready)
        assert slurm_state(ready, worker["name"]) == "idle"
    with step("a further run changes nothing, and a replacement of a removed node is refused"):
        assert {worker["instance_id"], login["instance_id"]}.isdisjoint(node["instance_id"] for node in ready.hosts())
        ready.reset_calls()
        again = ready.playbook("reconcile")
        assert (again.rc, again.changed) == (0, 0), again.log
        refused = ready.playbook("replace_nodes", "-e", f"replace_nodes={worker['instance_id']}", *QUICK)
        assert refused.rc == 2 and f"{worker['instance_id']} is not allowed: it is not a node" in refused.log, refused.log
        assert ready.calls(mutating=True) == []
