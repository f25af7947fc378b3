"""From no access to a revoked laptop, with a real OpenVPN client and the unchanged exported profile."""

from __future__ import annotations

import base64
import csv
import datetime
import json
import subprocess
import typing as t
from pathlib import Path

import pytest
from client_vpn import certificate
from fleet_page import fleet_report, stored_in
from harness import HOME, STATE_DIR, World
from steps import step

PEOPLE = {"alice": 20001, "bob": 20002, "mallory": 20003}
LOCK = {"PutParameter", "DeleteParameters", "AddTagsToResource"}
LAPTOP = "198.51.100.77"
PROFILES = STATE_DIR / "vpn" / "ml"


@pytest.fixture(scope="module")
def ready() -> World:
    """A small cluster with login access for three people, and no VPN."""
    world = World()
    world.reset(login=1, compute=0)
    run = world.playbook("login_access", *declared())
    assert run.rc == 0, run.log
    return world


def declared(**more: t.Any) -> tuple[str, str]:
    users = [
        {"name": name, "uid": uid, "authorized_keys": [{"key": _public_key(name)}]} for name, uid in PEOPLE.items()
    ]
    vpn = {"client_vpn_client_cidr": "172.20.0.0/20", "client_vpn_poll_interval": 1, "client_vpn_node_ports": [22]}
    return ("-e", json.dumps({"hyperpod_users": users, "hyperpod_groups": [], **vpn, **more}))


def _public_key(name: str) -> str:
    return (HOME / "people" / name / "id_ed25519.pub").read_text().strip()


def profile(person: str) -> Path:
    return PROFILES / f"{person}.ovpn"


def ssh(world: World, person: str, command: str = "hostname", host: str | None = None) -> subprocess.CompletedProcess:
    options = ("-o", f"HostKeyAlias={world.login_name}", "-o", "ConnectTimeout=4")
    return world.laptop(person).ssh(host or world.login_name, command, world.people_files / "known_hosts", *options)


def endpoint(world: World) -> dict[str, t.Any]:
    [found] = world.aws("ec2").describe_client_vpn_endpoints()["ClientVpnEndpoints"]
    return found


def test_a_profile_leads_from_no_access_to_a_shell(ready: World, tmp_path: Path):
    name, node = ready.login_name, ready.login_nodes()[0]
    with step("no access"):
        before = ssh(ready, "alice")
        assert before.returncode == 255 and "No route to host" in before.stdout, before.stdout

    with step("check mode"):
        addresses = [line.split()[0] for line in ready.run(["getent", "ahostsv4", name]).stdout.strip().split("\n")]
        narrow = declared(client_vpn_allowed_cidrs=sorted({f"{address}/32" for address in addresses}))
        ready.reset_calls()
        planned = ready.playbook("client_vpn", *narrow, "--check", "--diff")
        assert planned.rc == 0, planned.log
        assert ready.calls(mutating=True) == []
        assert "A month costs 146.00 USD for 2 associations" in planned.output

    with step("client_vpn and profiles"):
        ready.settings(listing_lag_seconds=300, acm_seconds=1)
        log, facts = tmp_path / "ansible.log", tmp_path / "facts"
        logging = {
            "ANSIBLE_LOG_PATH": str(log),
            "ANSIBLE_CACHE_PLUGIN": "ansible.builtin.jsonfile",
            "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(facts),
        }
        metrics = tmp_path / "runs.prom"
        run = ready.playbook("client_vpn", *narrow, "-vvv", "--diff", env={**logging, "HYPERPOD_METRICS": str(metrics)})
        assert run.rc == 0, run.output[-5000:]
        certificates = run.cluster()["certificates"]
        assert sorted(certificates) == ["vpn-ca", "vpn-crl", "vpn-server", "vpn-user"]
        assert metrics.read_text().count('certificate_expiry_timestamp_seconds{cluster="ml",') == len(certificates)
        assert {change["resource"].split()[0] for change in run.cluster()["changes"]} == {
            change["resource"].split()[0] for change in planned.cluster()["changes"]
        }
        written = ready.playbook("vpn_profiles", *narrow, "-vvv", "--diff", env=logging)
        assert written.rc == 0, written.output[-5000:]
        ready.settings(listing_lag_seconds=0)
        assert {path.stem for path in PROFILES.iterdir()} == set(PEOPLE), "profiles are missing of people whose secrets are not in the listing yet"
        _assert_private_keys_are_nowhere_else(ready, [run.output, written.output], log, facts)

    with step("client_vpn again"):
        ready.reset_calls()
        again = ready.playbook("client_vpn", *narrow)
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged"), again.log
        assert ready.calls(mutating=True) == []

    with step("status"):
        seen = ready.playbook("status", *narrow)
        assert seen.rc == 0 and seen.cluster()["certificates"] == certificates, seen.log

    with step("connect"):
        laptop = ready.laptop("alice")
        laptop.connect(profile("alice"))
        assert ssh(ready, "alice").stdout.split()[-1:] == [node["name"]]
        assert laptop.seen_from() == LAPTOP, "traffic to other addresses bypasses the tunnel"
        closed = ssh(ready, "alice", "hostname", node["ip"])
        assert closed.returncode == 255 and "timed out" in closed.stdout, closed.stdout


def test_a_renewed_server_certificate_keeps_profiles_valid(ready: World):
    """The run also adds the rule for the VPC, which opens an address that was closed, and revokes bob, who has lost his laptop."""
    with step("the secret of the server certificate is lost"):
        acm, secrets = ready.aws("acm"), ready.aws("secretsmanager")
        arn = endpoint(ready)["ServerCertificateArn"]
        before = acm.get_certificate(CertificateArn=arn)["Certificate"]
        [server] = [each for each in secrets.list_secrets()["SecretList"] if each["Name"].endswith("/server")]
        bobs = server["Name"].replace("/server", "/people/bob")
        lost = json.loads(secrets.get_secret_value(SecretId=bobs)["SecretString"])["certificate"]
        ready.settings(listing_lag_seconds=300, forced_deletion_seconds=2)
        secrets.delete_secret(SecretId=server["ARN"], ForceDeleteWithoutRecovery=True)
    with step("renew"):
        run = ready.playbook("client_vpn", *declared(), "-e", "vpn_revoke=bob")
        ready.settings(listing_lag_seconds=0, forced_deletion_seconds=0, acm_seconds=0)
        assert (run.rc, run.status) == (2, "degraded"), run.log
        assert "would disconnect alice" in " ".join(run.cluster()["pending"])
        assert json.loads(secrets.get_secret_value(SecretId=bobs)["SecretString"])["certificate"] != lost
        assert endpoint(ready)["ServerCertificateArn"] == arn
        assert acm.get_certificate(CertificateArn=arn)["Certificate"] != before

    with step("connect"):
        laptop = ready.laptop("alice")
        laptop.disconnect()
        laptop.connect(profile("alice"))
        node = ready.login_nodes()[0]
        ready.eventually(lambda: _equal(ssh(ready, "alice", "hostname", node["ip"]).stdout.split()[-1:], [node["name"]]))


@pytest.mark.parametrize("kind", ["EC_prime256v1", "RSA_4096"])
def test_unsupported_key_types_are_refused_before_any_change(ready: World, kind: str):
    pem, key = certificate("server.vpn.example.com", kind)
    acm = ready.aws("acm")
    arn = acm.import_certificate(Certificate=pem, PrivateKey=key)["CertificateArn"]
    ready.reset_calls()
    arguments = f"vpc_id={endpoint(ready)['VpcId']} server_certificate_arn={arn} region=us-west-2 profile=lab"
    done = ready.run(["ansible", "ml", "-m", "mlfleet.hyperpod.client_vpn_endpoint", "-a", arguments])
    acm.delete_certificate(CertificateArn=arn)
    assert done.returncode != 0 and "RSA" in done.stdout, done.stdout
    assert [call for call in ready.calls(mutating=True) if "ClientVpn" in call["operation"]] == []


@pytest.mark.slow
class TestOffboarding:
    def test_the_person_is_refused_and_others_reconnect(self, ready: World):
        """Even if the person's secret is gone: the authority has a record of what it issued."""
        with step("two people are connected"):
            alice, mallory = ready.laptop("alice"), ready.laptop("mallory")
            mallory.connect(profile("mallory"))
            assert ssh(ready, "mallory", "id -u").stdout.split()[-1:] == ["20003"]
            built = alice.connections
            started = ssh(ready, "alice", "tmux new-session -d -s work; tmux send-keys -t work echo Space still-here Enter")
            assert started.returncode == 0, started.stdout
            secret = f"mlfleet/hyperpod/client-vpn/{endpoint(ready)['VpcId']}/people/mallory"
            ready.aws("secretsmanager").delete_secret(SecretId=secret, ForceDeleteWithoutRecovery=True)
            leave = ("-e", "offboard_name=mallory", *declared())

        with step("offboard waits while people are connected"):
            waiting = ready.playbook("offboard", *leave)
            assert (waiting.rc, waiting.status) == (2, "degraded"), waiting.log
            assert "alice, mallory" in " ".join(waiting.cluster()["pending"])
            assert (evidence()["complete"], len(evidence()["not_finished"])) == (False, 1)
            assert (alice.connections, mallory.connections) == (built, 1), "a connection was reset"

        with step("offboard at once"):
            run = ready.playbook("offboard", *leave, "-e", "vpn_urgent=true")
            assert (run.rc, run.status) == (0, "changed"), run.log
            assert ready.login("mallory", "true").returncode == 255, "keys or account still exist"
            found = evidence()
            assert found["complete"] and "was revoked, and the endpoint has the CRL" in " ".join(found["clusters"][0]["vpn"])
            assert not profile("mallory").exists()

        with step("alice reconnects, mallory is refused"):
            alice.wait_connected(built + 1, seconds=40)
            ready.eventually(lambda: _in("certificate revoked: CN=mallory", ready.vpn_server_log()), seconds=40)
            assert not mallory.reaches(ready.login_name)
            assert mallory.connections == 1
            ready.eventually(lambda: _shell_still_runs(ready), seconds=20)

        with step("reconcile"):
            ready.reset_calls()
            timed = (*declared(), "-e", "hyperpod_full_look_minutes=10080")
            timer = ready.playbook("reconcile", *timed)
            assert (timer.rc, timer.status) == (0, "changed"), timer.log
            changed = {change["resource"] for change in timer.cluster()["changes"]}
            assert changed == {"record of users on nodes"}, "the only change must be the record that mallory is on no node"
            assert {call["operation"] for call in ready.calls(mutating=True)} <= LOCK
        with step("reconcile again"):
            ready.reset_calls()
            assert ready.playbook("reconcile", *timed).status == "unchanged"
            recorded = [call["arguments"] for call in ready.calls(mutating=True) if "/full-look" in json.dumps(call["arguments"])]
            kept = ready.aws("ssm").get_parameter(Name=recorded[-1]["Name"])["Parameter"]["Value"]
            due = datetime.datetime.fromisoformat(json.loads(kept)["due"])
            assert 0 < (due - datetime.datetime.now(datetime.timezone.utc)).days < 365, "the next full look must come before the certificate expires"
        with step("reconcile of an unchanged cluster"):
            ready.reset_calls()
            quiet = ready.playbook("reconcile", *timed)
            assert (quiet.rc, quiet.status) == (0, "unchanged") and quiet.cluster()["full_look"], quiet.log
            assert ready.calls(mutating=True) == []

    def test_the_report_lists_the_revoked_certificate(self, ready: World, tmp_path: Path):
        path = tmp_path / "a/folder/that/is/not/there/vpn_report.csv"
        run = ready.playbook("vpn_report", *declared(), "-e", f"client_vpn_report_csv={path}", *stored_in(tmp_path / "store"))
        assert run.rc == 0, run.log
        rows = {row["person"]: row for row in csv.DictReader(path.open())}
        assert set(rows) == set(PEOPLE)
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        assert (rows["alice"]["state"], rows["alice"]["connected"], rows["alice"]["declared"]) == ("valid", "yes", "yes")
        assert (rows["mallory"]["state"][:7], rows["mallory"]["declared"]) == ("revoked", "offboarded")
        assert {person: row["last_connection"][:10] for person, row in rows.items()} == {
            "alice": today,
            "bob": "",
            "mallory": today,
        }
        assert all(len(row["serial"]) > 30 for row in rows.values())
        made, shown = fleet_report(ready, tmp_path / "store", "access")
        found = made["clusters"]["ml"]["vpn"]["found"]
        assert (found["users"], found["connected"], found["last_connection"][:10]) == (2, 1, today), found
        assert [each["name"] for each in found["ends"]] == ["alice", "bob"] and found["offboarded"] == found["not_declared"] == []
        assert "ml 2 1 none none none" in shown, shown


def evidence() -> dict[str, t.Any]:
    return json.loads(max((STATE_DIR / "offboarding").glob("mallory-*.json")).read_text())


def _shell_still_runs(world: World) -> None:
    shown = ssh(world, "alice", "tmux capture-pane -p -t work").stdout
    assert "still-here" in shown.split(), shown


def _assert_private_keys_are_nowhere_else(world: World, outputs: list[str], log: Path, facts: Path) -> None:
    """Private keys are only in Secrets Manager and in the profiles, which only their owner may read."""
    secrets = world.aws("secretsmanager")
    lines = []
    for secret in secrets.list_secrets()["SecretList"]:
        if "client-vpn" in secret["Name"]:
            value = json.loads(secrets.get_secret_value(SecretId=secret["ARN"])["SecretString"])
            lines += value["private_key"].strip().split("\n")[2:-1]
    assert len(lines) > 50
    assert list(facts.iterdir()), "the fact cache was not used"
    for text in (*outputs, log.read_text()):
        assert [line for line in lines if line in text or base64.b64encode(line.encode()).decode() in text] == []
    patterns = log.with_name("patterns")
    patterns.write_text("\n".join(lines) + "\n")
    places = [HOME, world.paths.temporary, Path("/tmp"), Path("/dev/shm")]
    command = ["grep", "-rlaFf", str(patterns), "--devices=skip", *map(str, places)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    profiles = {profile(person) for person in PEOPLE}
    assert {Path(line) for line in done.stdout.split("\n")[:-1]} == {patterns, *profiles}
    assert {path.stat().st_mode & 0o777 for path in profiles} == {0o600}
    assert PROFILES.stat().st_mode & 0o777 == 0o700


def _in(part: str, text: str) -> None:
    assert part in text, text[-3000:]


def _equal(found: object, wanted: object) -> None:
    assert found == wanted, found
