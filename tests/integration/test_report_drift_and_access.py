"""Drift is reported through the exit status without any change, and the access report has what nodes report."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fleet_page import fleet_report, stored_in
from harness import HOME, STATE_DIR, Run, World
from lab.aws import permissions
from mishaps import locked_elsewhere, silent
from steps import step
from worlds import ready_world

pytestmark = pytest.mark.slow

# Everything that a run could change on a node, except files that a login itself creates.
FILES = (
    "find /etc /home /root /opt /usr/local /var/lib/mlfleet-hyperpod /var/lib/hyperpod-ops /var/spool/cron -xdev "
    r"-not -path '*/.ansible/*' \( -type l -printf '%p %l\n' "
    r"-o -type f -exec sha256sum {} + -exec stat -c '%n %a %u:%g %Y' {} + \)"
)
MANY = 300  # a node has some 200 files there, each with two lines


@pytest.fixture(scope="module")
def ready() -> World:
    """A small cluster is enough: the results are the same for every node."""
    return ready_world(login=2, compute=1)


def files_of_nodes(world: World) -> set[tuple[str, str]]:
    """Output of `sha256sum` and `stat` for each file of each node."""
    by_node = {node["name"]: set(world.on_node(node["name"], "sh", "-c", FILES).stdout.split("\n")) for node in world.hosts()}
    for name, lines in by_node.items():
        assert len(lines) > MANY and any(line.startswith("/etc/passwd ") for line in lines), (name, sorted(lines)[:20])
    return {(name, line) for name, lines in by_node.items() for line in lines}


def check_drift(world: World, *arguments: str) -> Run:
    """Run drift, and assert that it changed nothing."""
    before = files_of_nodes(world)
    world.reset_calls()
    run = world.playbook("drift", "--check", *arguments)
    assert [call for call in world.calls(mutating=True) if call["operation"] != "StartSession"] == []
    assert sorted(files_of_nodes(world) ^ before) == []
    return run


def drift() -> dict:
    return json.loads((STATE_DIR / "drift.json").read_text())


def metrics() -> dict[str, float]:
    lines = (STATE_DIR / "drift.prom").read_text().splitlines()
    pairs = (line.split("{cluster=") for line in lines if "{cluster=" in line and ",code=" not in line)
    return {name.removeprefix("mlfleet_hyperpod_drift_"): float(rest.split()[1]) for name, rest in pairs}


def suite() -> ElementTree.Element:
    return ElementTree.parse(STATE_DIR / "drift.xml").getroot().find("testsuite")


def test_drift_never_runs_outside_check_mode(ready: World):
    ready.reset_calls()
    run = ready.playbook("drift")
    assert run.rc == 1 and "Run it with --check" in run.output, run.log
    assert not [call for call in ready.calls() if call["service"] == "ssm"]
    assert not (STATE_DIR / "drift.json").exists()


def test_a_fleet_without_drift_is_in_sync(ready: World):
    run = check_drift(ready)
    assert run.rc == 0, run.log
    assert (drift()["status"], drift()["clusters"]["ml"]["changes"]) == ("in sync", [])
    assert {node["instance_id"] for node in ready.hosts()} | {"ml"} == set(drift()["clusters"]["ml"]["hosts"])
    cases = str(len(ready.hosts()) + 1)
    assert (suite().get("tests"), suite().get("failures"), suite().get("errors")) == (cases, "0", "0")
    found = metrics()
    assert abs(time.time() - found.pop("timestamp_seconds")) < 120
    assert found == {"status": 0, "changes": 0, "pending": 0, "failures": 0}
    assert (STATE_DIR / "drift.json").stat().st_mode & 0o777 == 0o600


def test_drift_is_reported_with_its_node(ready: World, tmp_path: Path):
    node, managed = ready.login_nodes()[1], "/etc/ssh/authorized_keys.d/bob"
    ready.on_node(node["name"], "mv", managed, "/root/bob")
    try:
        run = check_drift(ready, "-e", f"drift_prometheus={tmp_path}/a.prom")
    finally:
        ready.on_node(node["name"], "mv", "/root/bob", managed)
    assert run.rc == 2, run.log
    found = drift()["clusters"]["ml"]
    assert found["status"] == "drift" and {change["host"] for change in found["changes"]} == {node["instance_id"]}
    assert "bob" in json.dumps(found["changes"])
    failed = [case.get("name") for case in suite().iter("testcase") if case.find("failure") is not None]
    assert failed == [node["instance_id"]]
    assert (tmp_path / "a.prom").stat().st_mode & 0o777 == 0o644


def test_an_unreachable_node_is_not_in_sync(ready: World):
    quiet = ready.hosts("worker-group-1")[0]
    with silent(ready, quiet["name"]):
        run = check_drift(ready)
    assert run.rc == 1, run.log
    assert drift()["status"] == "could not tell"
    assert (metrics()["status"], metrics()["pending"]) == (1, 1)
    errors = {case.get("name"): case.find("error") for case in suite().iter("testcase")}
    assert [name for name, error in errors.items() if error is not None] == [quiet["instance_id"]]
    assert errors[quiet["instance_id"]].get("message").startswith(f"{quiet['instance_id']} is unreachable")


def _add_undeclared_account(world: World, node: str) -> None:
    """Add an undeclared account with a key in its own home, in a form that only sshd recognizes as a key."""
    key = (HOME / "people" / "mallory" / "id_ed25519.pub").read_text().strip().replace(" AA", " AA\v", 1)
    script = (
        "useradd --create-home --uid 1666 --shell /bin/bash mallory && install -d -o mallory -m 0700 /home/mallory/.ssh "
        f"&& echo '{key}' >/home/mallory/.ssh/authorized_keys && chown -R mallory: /home/mallory/.ssh"
    )
    assert world.on_node(node, "sh", "-c", script).returncode == 0


def _record_as_offboarded(world: World, cluster: str) -> None:
    record = {"owner": "ops@elsewhere", "since": "2026-11-01T10:00:00Z", "uid": 20002}
    world.aws("ssm").put_parameter(
        Name=f"/mlfleet/hyperpod/{cluster}/records/offboarded/bob", Type="String", Value=json.dumps(record)
    )


@pytest.fixture
def bucket(ready: World):
    """The name of a bucket for reports, which a later run of the test finds again."""
    s3, name = ready.aws("s3"), "mlfleet-reports-111111111111"
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    yield name
    for each in s3.list_objects_v2(Bucket=name).get("Contents", ()):
        s3.delete_object(Bucket=name, Key=each["Key"])
    s3.delete_bucket(Bucket=name)


def test_reports_and_files_of_a_run_are_stored(ready: World, bucket: str):
    """AWX deletes the control node of a run. Only the bucket and the artifact stay."""
    store = {"HYPERPOD_REPORT_STORE": f"s3://{bucket}/fleet", "HYPERPOD_REPORT_STORE_PROFILE": "lab"}
    run = ready.playbook("access_report", env=store)
    assert run.rc == 0, run.log
    assert run.cluster()["status"] == "unchanged", run.log
    s3 = ready.aws("s3")

    def read(key: str) -> str:
        return s3.get_object(Bucket=bucket, Key=f"fleet/{key}")["Body"].read().decode()

    (key,) = [each["Key"] for each in s3.list_objects_v2(Bucket=bucket, Prefix="fleet/v1/runs/")["Contents"] if each["Key"].count("/") == 3]
    stored = json.loads(read(key.removeprefix("fleet/")))
    assert stored["clusters"]["ml"]["status"] == run.cluster()["status"] == "unchanged"
    one = json.loads(read(stored["clusters"]["ml"]["document"]))
    assert (one["cluster"], one["playbook"], one["arn"]) == ("ml", "access_report", run.cluster()["arn"])
    files = {each.rpartition("/")[2]: read(each) for each in stored["files"]}
    assert files == {name: (STATE_DIR / name).read_text() for name in ("access_report.csv", "access_report.json")}
    with step("a missing permission"):
        others = [name for name in permissions.OPERATORS if name != "report-store"]
        ready.settings(policies=permissions.documented(*others))
        try:
            run = ready.playbook("access_report", env=store)
        finally:
            ready.settings(policies=permissions.documented())
        assert run.rc == 0 and run.cluster()["status"] == "degraded", run.log
        assert [each["code"] for each in run.cluster()["findings"] if each["kind"] == "pending"] == ["report-not-stored"]


def test_the_access_report_lists_accounts_keys_and_logins(ready: World, tmp_path: Path):
    first, second = ready.login_nodes()[:2]
    cluster = ready.aws("sagemaker").list_clusters()["ClusterSummaries"][0]["ClusterArn"].rpartition("/")[2]
    with step("two logins, an undeclared account, an offboarded person"):
        _add_undeclared_account(ready, first["name"])
        _record_as_offboarded(ready, cluster)
        alias = f"HostKeyAlias={ready.login_name}"
        assert ready.login("alice", "true", first["ip"], "-o", alias).returncode == 0
        time.sleep(1.1)  # logins have a resolution of one second
        assert ready.login("alice", "true", second["ip"], "-o", alias).returncode == 0
    with step("access_report"):
        before = files_of_nodes(ready)
        with locked_elsewhere(ready):  # the report does not need the lock
            ready.reset_calls()
            run = ready.playbook("access_report", *stored_in(tmp_path))
            calls = ready.calls(mutating=True)
        assert (run.rc, run.changed) == (0, 0), run.log
        assert [call for call in calls if call["operation"] != "StartSession"] == []
        assert sorted(files_of_nodes(ready) ^ before) == []

    with step("the table"):
        rows = list(csv.DictReader((STATE_DIR / "access_report.csv").open()))
        by_name = {row["person"]: row for row in rows}
        fingerprint = ready.run(["ssh-keygen", "-lf", str(HOME / "people/alice/id_ed25519.pub")]).stdout.split()[1]
        alice = by_name["alice"]
        assert (alice["uid"], alice["status"], alice["key_place"]) == ("20001", "declared", "managed")
        assert alice["key_fingerprint"] == alice["last_login_with"] == fingerprint
        assert alice["last_login_node"] == second["instance_id"]
        assert "group_vars" in alice["source"] or alice["source"] == "hyperpod_users"
        assert set(alice["account_nodes"].split()) == {node["instance_id"] for node in ready.hosts()}
        mallory = by_name["mallory"]
        assert (mallory["uid"], mallory["status"], mallory["key_place"]) == ("1666", "not declared", "home")
        assert (mallory["account_nodes"], mallory["last_login"]) == (first["instance_id"], "")
        assert mallory["key_fingerprint"] == ready.run(["ssh-keygen", "-lf", str(HOME / "people/mallory/id_ed25519.pub")]).stdout.split()[1]
        assert ready.login("mallory", "id -un", first["ip"], "-o", alias).stdout.strip() == "mallory"
        assert by_name["bob"]["status"] == "offboarded" and "ops@elsewhere" in by_name["bob"]["source"]
        assert by_name["hyperpod-ops"]["status"] == "operations"

    with step("the document"):
        document = json.loads((STATE_DIR / "access_report.json").read_text())
        assert document["clusters"]["ml"]["nodes_not_read"] == [] and document["clusters"]["ml"]["unread"] == []
        assert {one["name"] for one in document["people"]} == set(by_name)
        assert "not declared" in run.output and fingerprint in run.output

    with step("the fleet report"):
        made, shown = fleet_report(ready, tmp_path, "access")
        found = made["clusters"]["ml"]["users"]["found"]
        undeclared = [row["person"] for row in rows if row["status"] == "not declared" and row["account_nodes"]]
        assert (found["not_declared"], found["offboarded"], found["last_login_not_declared"]) == (len({*undeclared}), 1, ""), found
        (of_alice,) = (one["clusters"][0] for one in document["people"] if one["name"] == "alice")
        assert found["last_login"] == of_alice["last_login"]["time"] and f" {len({*undeclared})} ! 1 " in shown, (found, of_alice, shown)
