# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job that docs/use/topology.md shows is refused without the line that it shows, and taken with it."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.render import render

PAGE = Path(__file__).resolve().parents[3] / "docs/use/topology.md"
BLOCK = re.compile(r"```yaml\n# (\S+)\n(.*?)```", re.S)


def test_the_job_with_efa_and_its_rights() -> None:
    shown = {name: yaml.safe_load(text) for name, text in BLOCK.findall(PAGE.read_text())}
    job, rights = shown["fsdp.yaml"], shown["group_vars/cluster_training.yml"]["topology_job_pod_rights"]
    given: dict[str, t.Any] = {"source": "src", "namespace": None, "queue": "training", "priority": None, "wish": Wish(), "sent": True}
    with pytest.raises(Refused) as refused:
        render(job, **given)
    assert str(rights).replace("'", '"') in str(refused.value)
    assert list(render(job, allowed=rights, **given).rights) == rights
    with pytest.raises(Refused, match="baseline"):
        render({**job, "metadata": {"name": "fsdp", "namespace": "hyperpod-ns-a"}}, allowed=rights, **given)
