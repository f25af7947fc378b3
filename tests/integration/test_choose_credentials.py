"""Which credentials are used, wrong and missing credentials, and inventory and play in two clean environments."""

from __future__ import annotations

import json
import os
import shutil
import sys
import typing as t
from pathlib import Path

import ansible_runner
import pytest
import yaml
from harness import HOME, World
from steps import step

ACCESS = Path(__file__).with_name("access.yml")
PARTS = ("galaxy.yml", "meta", "playbooks", "plugins", "roles")


@pytest.fixture(scope="module")
def world() -> World:
    made = World()
    made.reset(login=1, compute=1)
    return made


def test_credentials_of_another_account_stop_a_play_before_its_first_call(world: World, tmp_path: Path):
    source = _frozen(tmp_path / "hosts.py", _exported(world))
    world.reset_calls()
    run = world.playbook("login_access", "-i", source, "-e", "hyperpod_profile=other")
    assert (run.rc, run.status) == (2, "failed"), run.log
    printed = " ".join(run.output.split())
    assert "Credentials of profile other belong to account 222222222222, but cluster arn:aws:sagemaker:us-" in printed
    assert "is in account 111111111111. Nothing was read or changed." in printed
    assert {call["operation"] for call in world.calls()} == {"AssumeRole", "GetCallerIdentity"}


def test_a_failing_account_is_named_and_hides_no_other(world: World, tmp_path: Path):
    accounts = [
        {"profile": "lab", "regions": ["us-west-2", "eu-west-1"]},
        {"profile": "other", "regions": ["us-west-2"]},
        {"profile": "missing", "regions": ["us-west-2"]},
    ]
    source = _source(tmp_path, accounts=accounts)
    world.fault(kind="deny", service="sagemaker", account="222222222222")
    world.fault(kind="deny", service="sagemaker", region="eu-west-1")
    try:
        done = world.run(["ansible-inventory", "-i", source, "--list"])
        strict = world.run(["ansible-inventory", "-i", _source(tmp_path, accounts=accounts, strict=True), "--list"])
    finally:
        world.clear_faults()
    assert done.returncode == 0, done.stdout
    printed = " ".join(done.stdout.split())
    broken = [
        "profile lab, region eu-west-1",
        "profile missing, region us-west-2",
        "profile other, region us-west-2",
    ]
    for place in broken:
        assert f"could not read {place}: " in printed, printed
    loaded = json.loads(done.stdout[done.stdout.index("{") :])
    assert len(loaded["hyperpod_nodes"]["hosts"]) == len(world.hosts())
    failures = loaded["_meta"]["hostvars"]["ml"]["hyperpod_inventory_failures"]
    assert [failure["__ansible_unsafe"].partition(":")[0] for failure in failures] == broken
    assert strict.returncode != 0 and "could not read profile lab, region eu-west-1" in " ".join(strict.stdout.split())


def test_inventory_and_play_run_in_two_clean_environments(world: World, tmp_path: Path):
    """As in AWX: two temporary containers that share only the exported inventory."""
    with step("update of the inventory"):
        update = _root(world, tmp_path / "update")
        exported = _exported(world, "--export", env=update)
        text = json.dumps(exported)
        assert str(update["HOME"]) not in text and "aws_secret" not in text and "AKIA" not in text
        assert list(Path(update["HOME"]).iterdir()) == [Path(update["ANSIBLE_HOME"])], "the inventory wrote files"

    with step("a job's folder"):
        job = _root(world, tmp_path / "job")
        private = Path(job["HOME"]).parent / "runner"
        (private / "project").mkdir(parents=True)
        (private / "inventory").mkdir()
        (private / "env").mkdir()
        shutil.copy(ACCESS, private / "project/access.yml")
        ping = [{"hosts": "hyperpod_nodes", "gather_facts": False, "tasks": [{"ansible.builtin.ping": None}]}]
        play = [{"import_playbook": "access.yml"}, *ping]
        (private / "project/play.yml").write_text(yaml.safe_dump(play))
        shutil.copy(HOME / ".ssh/id_ed25519", private / "env/ssh_key")
        _frozen(private / "inventory/hosts.py", exported)
        ssh = Path(job["HOME"]) / ".ssh"
        ssh.mkdir(mode=0o700)
        shutil.copy(HOME / ".ssh/id_ed25519.pub", ssh)

    with step("the job"):
        shutil.rmtree(tmp_path / "update")
        done = ansible_runner.run(private_data_dir=str(private), playbook="play.yml", envvars=job, quiet=True)
        output = done.stdout.read()
        assert (done.status, done.rc) == ("successful", 0), output
        assert set(done.stats["ok"]) == {"ml", *(f"ml-{host['instance_id']}" for host in world.hosts())}, output
        assert (Path(job["HOME"]) / ".mlfleet/hyperpod/known_hosts").exists()


def _source(folder: Path, **options: object) -> str:
    path = folder / "hyperpod.yml"
    path.write_text(yaml.safe_dump({"plugin": "mlfleet.hyperpod.hyperpod", **options}))
    return str(path)


def _exported(world: World, *arguments: str, env: dict[str, str] | None = None) -> dict[str, t.Any]:
    source = world.paths.repo / "inventories/lab/hyperpod.yml"
    done = world.run(["ansible-inventory", "-i", str(source), "--list", *arguments], env=env)
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout)


def _frozen(path: Path, inventory: dict[str, t.Any]) -> str:
    """An inventory without API calls: a script that prints the result of an earlier update."""
    path.write_text(f"#!{sys.executable}\nprint({json.dumps(inventory)!r})\n")
    path.chmod(0o755)
    return str(path)


def _root(world: World, folder: Path) -> dict[str, str]:
    """Create a home and a copy of the collection; returns the environment that uses them."""
    home, collections = folder / "home", folder / "collections"
    home.mkdir(parents=True)
    copied = collections / "ansible_collections/mlfleet/hyperpod"
    copied.mkdir(parents=True)
    for part in PARTS:
        source = world.paths.repo / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, copied / part)
    return {
        "HOME": str(home),
        "ANSIBLE_HOME": str(home / ".ansible"),
        "ANSIBLE_COLLECTIONS_PATH": str(collections),
        "ANSIBLE_SSH_CONTROL_PATH_DIR": f"/run/lab/cp-{folder.name}",
        "ANSIBLE_CONFIG": os.environ["ANSIBLE_CONFIG"],
    }
