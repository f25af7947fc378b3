# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""accelerator_cron_jobs: bad input without an API server, and the usual sequence of runs on one in memory."""

from __future__ import annotations

import pytest
from simulated.shape import one_shape
from unit.module_utils._accelerators.kubernetes.cron.recurring import NAMESPACE, OLD, Recurring
from unit.module_utils._accelerators.kubernetes.jobs.looked_at import iid
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

NODE = {"instance_id": iid(1), "instance_type": "ml.p5.48xlarge"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": [{"instance_id": "i-1"}]}, "nodes.instance_id: 'i-1' is not allowed"),
        ({"schedule": "every hour"}, "schedule: 'every hour' is not allowed. Allowed: five fields as in a crontab"),
        ({"schedule": "* * * *"}, "schedule: '* * * *' is not allowed"),
        ({"state": "gone"}, "value of state must be one of: present, absent"),
        ({"image": "python 3"}, "image: 'python 3' is not allowed"),
        ({"namespace": "A"}, "namespace: 'A' is not allowed"),
        ({"namespace": "hyperpod-ns-vision"}, "namespace: 'hyperpod-ns-vision' is not allowed: submitters of the team may write to it"),
        ({"pod_timeout": 9}, "pod_timeout: 9 is not allowed"),
        ({"health_profile": {"hung_seconds": 0}}, "profile.hung_seconds: 0 is not allowed"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("accelerator_cron_jobs", **{"nodes": [NODE], **given})
    assert refused["failed"] and message in refused["msg"], refused


class World:
    """A simulator as ``shape`` expects it."""

    def __init__(self, simulator, kubernetes, kubeconfig):
        self.simulator, self.kubernetes, self.kubeconfig = simulator, kubernetes, kubeconfig

    def run(self, module, /, **options):
        self.kubernetes.changes.clear()
        return self.simulator.run(module, kubeconfig=self.kubeconfig, namespace=NAMESPACE, **options)

    def changes(self):
        return [f"{method} {path}" for method, path in self.kubernetes.changes]

    def problems(self):
        return []


@pytest.fixture(params=[("batch/v1", "32+"), (OLD, "20")], ids=["new", "old"])
def world(simulator, tmp_path, request):
    version, minor = request.param
    kubernetes = Recurring(1, 2, version=version, minor=minor)
    with Server(kubernetes) as client:
        yield World(simulator, kubernetes, kubeconfig(client, tmp_path))


def test_cron_jobs_are_created_and_removed(world):
    nodes = [{"instance_id": iid(number)} for number in (1, 2, 3)]
    made, removed = one_shape(world, "accelerator_cron_jobs", present={"nodes": nodes}, absent={"state": "absent"})
    assert [each["instance_id"] for each in made["cron_jobs"]] == [iid(1), iid(2)] and made["cron_jobs"][0]["schedule"] == "1 * * * *"
    assert made["left_out"] == [{"instance_id": iid(3), "why": f"Node hyperpod-{iid(3)} does not exist in Kubernetes."}]
    assert removed["cron_jobs"] == removed["left_out"] == [] and len(removed["changes"]) == 3
