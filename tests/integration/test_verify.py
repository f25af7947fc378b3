"""The playbook reports which nodes are fit for training: healthy, with a broken GPU, or unknown, while a job runs."""

from __future__ import annotations

import json
import typing as t
from xml.etree import ElementTree

import pytest
from harness import STATE_DIR, World
from lab.accelerators.story import healthy, off_the_bus
from steps import step
from work import jobs, submit

FILES = ("accelerators.json", "accelerators.html", "accelerators.xml", "accelerators.prom")


@pytest.fixture
def worker(ready: World) -> t.Iterator[dict[str, t.Any]]:
    for name in FILES:
        (STATE_DIR / name).unlink(missing_ok=True)
    (entry,) = ready.hosts("worker-group-1")
    yield entry
    ready.decelerate(entry["name"])
    ready.on_node(entry["name"], "rm", "-f", "/var/lib/mlfleet-hyperpod/accelerators.json")


def report() -> dict[str, t.Any]:
    return dict(json.loads((STATE_DIR / "accelerators.json").read_text()))


def test_the_report_has_fit_unfit_and_unknown_nodes(ready: World, worker: dict[str, t.Any]) -> None:
    iid = worker["instance_id"]
    with step("a healthy fleet that runs a job"):
        submit(ready, worker["name"], 600)
        at_work = jobs(ready)
        ready.accelerate(worker["name"], healthy("ml.p5.48xlarge"))
        ready.reset_calls()
        well = ready.playbook("verify")
        assert well.rc == 0 and well.changed == 0 and "1 of 1 nodes with accelerators were checked completely." in well.output, well.log
        assert [call["operation"] for call in ready.calls(mutating=True)] in ([], ["StartSession"]), ready.calls(mutating=True)
        found = report()
        node = found["clusters"]["ml"]["nodes"][iid]
        last = well.output.partition("Get the health of a node that runs jobs, after the others]")[2].partition("TASK [")[0]
        assert f"for ml-{iid}" in last, well.log
        assert (node["verdict"], node["problems"], node["expected"]["source"]) == ("fit", [], "EC2"), node["problems"]
        assert len(node["known"]["jobs"]) == 1 and node["known"]["slurm"] in ("allocated", "mixed"), node["known"]
        assert found["coverage"]["without_accelerators"] == found["coverage"]["nodes"] - 1 and jobs(ready) == at_work

    with step("a GPU falls off the bus"):
        ready.accelerate(worker["name"], off_the_bus(healthy("ml.p5.48xlarge"), 3))
        planned = ready.playbook("verify", "--check")
        assert planned.rc == 2 and "Xid 79" in planned.output, planned.log
        unfit = ready.playbook("verify")
        assert unfit.rc == 2 and unfit.status == "failed", unfit.log
        assert f"reboot: ml: {iid}: Reboot each node after its jobs have ended" in unfit.output
        assert next(each["code"] for each in unfit.report["clusters"]["ml"]["findings"] if each["kind"] == "failure") == "gpu-xid"
        assert report()["changes"]["nodes"] == [] and report()["clusters"]["ml"]["nodes"][iid]["verdict"] == "unfit-reboot"
        assert "GPU 3 (0000:83:00.0)" in (STATE_DIR / "accelerators.html").read_text()
        (failed,) = ElementTree.parse(STATE_DIR / "accelerators.xml").getroot().findall("testsuite/testcase/failure")
        assert failed.get("type") == "unfit-reboot"
        assert 'nodes{cluster="ml",verdict="unfit-reboot"} 1' in (STATE_DIR / "accelerators.prom").read_text()
        reported = ready.playbook("verify", "-e", "accelerator_health_result=report")
        assert reported.rc == 0 and "Xid 79" in reported.output, reported.log
        assert jobs(ready) == at_work

    with step("a node without tools is unknown"):
        ready.accelerate(worker["name"], healthy("ml.p5.48xlarge", tools={"nvidia-smi": "missing"}))
        blind = ready.playbook("verify")
        assert blind.rc == 2 and "1 unknown." in blind.output and "nvidia-smi is not on this node" in blind.output, blind.log
        warned = ready.playbook("verify", "-e", "accelerator_health_result=warn")
        assert warned.rc == 0 and warned.status == "degraded", warned.log

    with step("the node has just booted, and an EFA device is missing"):
        young = healthy("ml.p5.48xlarge", uptime=265)
        young.efa.pop()
        ready.accelerate(worker["name"], young, boot=True)
        waited = ready.playbook("verify", "--check")
        again = waited.output.partition("Get the health of a node that has just booted")[2]
        assert waited.rc == 2 and again.count(f"FAILED - RETRYING: [ml-{iid}]: ") == 2 == waited.output.count("FAILED - RETRYING: "), waited.log
        assert "1 unknown." in waited.output and "31 of 32 EFA devices are present" in " ".join(waited.output.split()), waited.log
        ready.accelerate(worker["name"], healthy("ml.p5.48xlarge"))

    with step("the security group blocks EFA between nodes"):
        ec2, (group,) = ready.aws("ec2"), ready.aws("sagemaker").describe_cluster(ClusterName="ml")["VpcConfig"]["SecurityGroupIds"]
        itself = {"GroupId": group, "IpPermissions": [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]}
        assert not [each for each in warned.report["clusters"]["ml"]["findings"] if each["code"] == "efa-security-groups"]
        ec2.revoke_security_group_egress(**itself)
        try:
            reported = ready.playbook("verify", "-e", "accelerator_health_result=report")
        finally:
            ec2.authorize_security_group_egress(**itself)
        assert f"set-up: ml: {iid}: The security groups of worker-group-1 ({group}) have no outbound rule" in " ".join(reported.output.split()), reported.log

    with step("invalid input is refused before any check"):
        ready.reset_calls()
        refused = ready.playbook("verify", "-e", "accelerator_health_result=maybe")
        assert refused.rc == 2 and "accelerator_health_result: 'maybe' is not allowed" in " ".join(refused.output.split()), refused.log
        assert "DescribeInstanceTypes" not in [call["operation"] for call in ready.calls()]
