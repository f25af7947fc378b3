"""Run the integration tests in labs made for them, the longest first, with the part of the slow tests and the slice of the
campaign that the commit draws.

Arguments are passed to pytest, which then runs in one lab.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import labs

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(labs.TESTS / "campaign"))

import choice  # noqa: E402

NAME = os.environ.get("LAB_NAME", "integration")
TOGETHER = (  # one after the other in one lab: each reuses the world that the previous one left
    ("test_spare_unseen.py", "test_hold_to_policies.py", "test_replace_nodes.py", "test_look_at_accelerators.py", "test_log_in.py"),
    ("test_plan.py", "test_drain.py", "test_verify.py"),
    ("test_guard_sshd.py", "test_report_drift_and_access.py"),
)
LONG = (  # some run only for a commit that draws them
    "test_connect_by_vpn.py",
    "test_recover_client_vpn.py",
    "test_adopt.py",
    "test_certify_host_keys.py",
    "test_rotate_host_keys.py",
    "test_offboard.py",
    "test_update_software.py",
    "test_remediate.py",
    "test_keep_karpenter.py",
    "test_make_a_cluster.py",
    "test_scale_with_karpenter.py",
    "test_verify_eks.py",
)


def batches() -> list[tuple[str, ...]]:
    """All batches, the longest first: the labs end at about the same time."""
    ahead = [*TOGETHER, *((name,) for name in LONG)]
    named = {name for batch in ahead for name in batch}
    alone = [(name,) for name in sorted({file.name for file in FOLDER.glob("test_*.py")} - named)]
    slow = f"--slow-of={choice.head()}"
    files = [(*(str(FOLDER / name) for name in batch), slow) for batch in (*ahead, *alone)]
    return [*files[: len(TOGETHER)], choice.slice_of_head(), *files[len(TOGETHER) : len(ahead)], labs.MOLECULE, *files[len(ahead) :]]


if __name__ == "__main__":
    sys.exit(labs.some(NAME, sys.argv[1:]) if sys.argv[1:] else labs.everything(NAME, batches()))
