"""Sites with other sources: accounts from LDAP, host keys from a vault."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from harness import World
from steps import step


def _host_keys(folder: Path) -> dict[str, dict[str, str]]:
    keys = {}
    for kind in ("ed25519", "ecdsa", "rsa"):
        path = folder / kind
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", str(path)], check=True)
        public = path.with_suffix(".pub").read_text().strip()
        keys[kind] = {"private": path.read_text(), "public": public}
    return keys


@pytest.mark.slow
def test_accounts_can_be_external_and_host_keys_from_a_vault(tmp_path: Path):
    world = World()
    world.reset(login=1, compute=0)
    keys = _host_keys(tmp_path)
    variables = tmp_path / "vault.yml"
    variables.write_text(yaml.safe_dump({"host_keys_vaulted": keys, "hyperpod_accounts_source": "external"}))

    with step("login_access"):
        run = world.playbook("login_access", "-e", f"@{variables}")
        assert (run.rc, run.status) == (0, "changed"), run.log
        node = world.login_nodes()[0]
        assert world.on_node(node["name"], "id", "alice").returncode == 1
        assert world.on_node(node["name"], "id", "hyperpod-ops").returncode == 0
        assert world.target_health() == {node["ip"]: "healthy"}
        seen = world.run(["ssh-keyscan", "-t", "ed25519", world.login_name]).stdout
        assert keys["ed25519"]["public"].split()[1] in seen
        assert world.aws("secretsmanager").list_secrets()["SecretList"] == []

    with step("login_access again"):
        again = world.playbook("login_access", "-e", f"@{variables}")
        assert (again.rc, again.changed) == (0, 0), again.log
