# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates on a node: in sshd's drop-in, in their files, and in the readiness gate."""

from __future__ import annotations

import base64

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import check as gate_check, options as gate_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import files as sshd_files, host_certificates
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.drop_in import render
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd.config.preflight import check_on_node

FOLDER = "/etc/ssh/ssh_host_"
DEFAULTS = {
    "state": "present",
    "client_alive_interval": 60,
    "client_alive_count_max": 3,
    "max_startups": "100:30:200",
    "authorized_keys_dir": "/etc/ssh/authorized_keys.d",
    "user_keys": "allow",
    "operations_user": "hyperpod-ops",
    "people_port": None,
    "next_host_key_types": [],
    "host_certificates": {},
    "password_authentication": None,
    "source_penalties": None,
    "refuse_logins": "",
}
NODE = {"authorizedkeysfile": (".ssh/authorized_keys",)}


def line(name: str, more: bytes = b"x") -> str:
    blob = len(name).to_bytes(4, "big") + name.encode() + more
    return f"{name} {base64.b64encode(blob).decode()}"


ED = line("ssh-ed25519-cert-v01@openssh.com")
NEWER_ED = line("ssh-ed25519-cert-v01@openssh.com", b"y")
RSA = line("ssh-rsa-cert-v01@openssh.com")


def desired(**given):
    return options.desired({**DEFAULTS, "host_key_types": ["ed25519", "rsa"], **given})


def state(text=None, certificates=None):
    return State(text, "0644 0:0", "", NODE, None, certificates or {})


def planned(wanted, seen):
    return plan(wanted, seen)


def files(made):
    return {file.path: file.content for step in made.steps for file in step.arguments["files"]}


def test_the_drop_in_names_the_given_certificates():
    text = render(desired(host_certificates={"rsa": RSA, "ed25519": ED}), without_ours=NODE)
    assert text.splitlines()[1:5] == [
        f"HostKey {FOLDER}ed25519_key",
        f"HostKey {FOLDER}rsa_key",
        f"HostCertificate {FOLDER}ed25519_key-cert.pub",
        f"HostCertificate {FOLDER}rsa_key-cert.pub",
    ]


def test_files_are_created_renewed_and_removed_with_the_drop_in():
    wanted = desired(host_certificates={"ed25519": ED})
    first = planned(wanted, state())
    path = f"{FOLDER}ed25519_key-cert.pub"
    assert files(first)[path] == f"{ED}\n".encode()
    assert sshd_files.DROP_IN in files(first)
    text = files(first)[sshd_files.DROP_IN].decode()

    assert not planned(wanted, state(text, {"ed25519": f"{ED}\n"}))
    renewed = planned(desired(host_certificates={"ed25519": NEWER_ED}), state(text, {"ed25519": f"{ED}\n"}))
    assert list(files(renewed)) == [path]
    assert ED.split()[1] not in str(renewed.diff())

    for without in (desired(), desired(state="absent")):
        assert files(planned(without, state(text, {"ed25519": f"{ED}\n"})))[path] is None
    without_drop_in = planned(desired(), state(None, {"ed25519": f"{ED}\n"}))
    assert path not in files(without_drop_in)


def test_a_predicted_certificate_is_accepted_only_in_check_mode():
    wanted = desired(host_certificates={"ed25519": KNOWN_AFTER_APPLY})
    assert planned(wanted, state()).changes[0].after == KNOWN_AFTER_APPLY
    with pytest.raises(Refused, match=r"^host_certificates.ed25519: "):
        check_on_node(wanted, state(), planning=False)


@pytest.mark.parametrize(
    "given",
    [
        {"host_certificates": {"ed25519": RSA}},
        {"host_certificates": {"ed25519": line("ssh-ed25519")}},
        {"host_certificates": {"ed25519": "nonsense"}},
        {"host_certificates": {"ed25519": ED}, "host_key_types": ["rsa"]},
        {"host_certificates": {"ed25519": ED}, "host_key_types": None},
    ],
)
def test_invalid_certificates_are_refused(given):
    with pytest.raises(Refused, match=r"^host_certificates"):
        desired(**given)


@pytest.mark.parametrize(
    ("presented", "now", "problem"),
    [
        (ED, 999, None),
        (ED, 1000, "expired at 1970-01-01T00:16:40Z"),
        (NEWER_ED, 999, "differs from the expected one"),
        (RSA, 999, "presented no certificate"),
        (None, 999, "presented no certificate"),
    ],
)
def test_missing_and_expired_certificates_are_problems(presented, now, problem):
    shown = dict([presented.split()]) if presented else None
    found = list(gate_check.certificate_problems([{"line": ED, "until": 1000}], lambda: shown, now=now))
    assert len(found) == (1 if problem else 0)
    assert not problem or problem in found[0]


def test_the_gate_expects_the_given_certificates():
    params = {
        "port": 223, "former_ports": [], "people_port": 222, "former_people_ports": [], "silent_mounts": "warn",
        "mount_timeout": 5, "instance": "", "state": "open", "host_keys": [], "users": [], "mounts": [],
    }
    entry = {"certificate": ED + " comment", "valid_until": "1970-01-01T00:16:40Z"}
    found = gate_options.desired({**params, "host_certificates": [entry]})
    assert found.expected["host_certificates"] == [{"line": ED, "until": 1000}]
    assert "host_certificates" not in gate_options.desired({**params, "host_certificates": []}).expected
    for wrong in ({"valid_until": "tomorrow"}, {"certificate": line("ssh-ed25519")}):
        with pytest.raises(Refused, match=r"^host_certificates"):
            gate_options.desired({**params, "host_certificates": [{**entry, **wrong}]})


def test_a_certificate_has_the_type_of_its_key():
    for text, key_type in (ED, "ed25519"), (RSA, "rsa"), (line("ecdsa-sha2-nistp384-cert-v01@openssh.com"), "ecdsa"):
        assert host_certificates.parse_certificate("x", text).certifies == key_type


def test_the_output_of_ssh_keyscan_is_parsed():
    """With -c, it prints no host."""
    plain = f"# 127.0.0.1:22 SSH-2.0-OpenSSH_10.0\n127.0.0.1 {RSA}\n"
    assert gate_check.parse_scan(plain) == dict([RSA.split()])
    assert gate_check.parse_scan(f"{ED}\n# 127.0.0.1:22 SSH-2.0-OpenSSH_10.0\n{RSA}\n") == dict([ED.split(), RSA.split()])
    assert gate_check.parse_scan("") == {}
