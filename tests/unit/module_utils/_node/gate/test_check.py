# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that keep the readiness gate closed."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import check as gate_check, options as gate_options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_TYPES

ED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm"


@pytest.fixture(autouse=True)
def probe_locks(monkeypatch, tmp_path_factory):
    """The folder for locks of file system probes, instead of /run."""
    folder = tmp_path_factory.mktemp("locks")
    monkeypatch.setattr(gate_check, "ASKS", str(folder / "{}"))
    return folder


@pytest.mark.parametrize(
    "presented, problems",
    [
        ({"ssh-ed25519": ED.split()[1]}, []),
        (None, ["does not answer"]),
        ({}, ["presented no"]),
        ({"ssh-ed25519": "AAAA"}, ["ssh-ed25519 host key that differs"]),
        ({"ssh-ed25519": ED.split()[1], "ssh-rsa": "AAAA"}, ["ssh-rsa, which is not among"]),
    ],
)
def test_missing_or_other_host_keys_are_problems(presented, problems):
    found = list(gate_check.key_problems([ED], presented))
    assert len(found) == len(problems)
    assert all(part in text for part, text in zip(problems, found))


@pytest.mark.parametrize(
    "user, problem",
    [
        ({"name": "root", "uid": 0}, ""),
        ({"name": "root", "uid": None}, ""),
        ({"name": "root", "uid": 7}, "has UID 0 instead of 7"),
        ({"name": "no-such-user", "uid": 7}, "does not exist"),
    ],
)
def test_missing_or_other_users_are_problems(user, problem):
    found = list(gate_check.user_problems([user]))
    assert (not found) if not problem else (len(found) == 1 and problem in found[0])


def test_a_missing_file_counts_as_empty(tmp_path):
    assert gate_check._read(str(tmp_path / "gone")) == ""


def test_mountinfo_is_parsed_without_autofs():
    text = (
        "22 1 0:21 / / rw - overlay x rw\n"
        "30 22 0:40 / /fsx rw,noatime shared:1 - lustre 10.0.0.1@tcp:/abc rw\n"
        "31 22 0:41 / /home rw - autofs systemd-1 rw\n"
        "32 22 0:42 / /with\\040space rw - nfs4 a:/b rw\n"
    )
    assert gate_check.parse_mountinfo(text) == {"/", "/fsx", "/with space"}


@pytest.mark.parametrize(
    "raw, path",
    [
        (rb"/home/m/\377", "/home/m/\xff"),
        (b"/home/m/\xff", "/home/m/\udcff"),
        (b"/home/m/a\x0cb", "/home/m/a\fb"),
        (b"/home/m/a\rb", "/home/m/a\rb"),
        ("/home/m/\u2028\x85".encode(), "/home/m/\u2028\x85"),
        (rb"/home/m/\011\012\134x41", "/home/m/\t\n\\x41"),
    ],
)
def test_odd_mount_names_add_no_lines(monkeypatch, tmp_path, raw, path):
    table = tmp_path / "mountinfo"
    table.write_bytes(
        b"50 36 0:44 / " + raw + b" rw,nosuid - fuse.sshfs x rw,user_id=20009\n"
        b"36 29 0:30 / /fsx rw,relatime shared:1 - lustre 10.0.0.1@tcp:/x rw\n"
    )
    real = open
    monkeypatch.setattr(gate_check, "open", lambda _path, **how: real(table, **how), raising=False)
    assert gate_check.mounted_paths() == {path, "/fsx"}


@pytest.mark.parametrize(
    "path, part",
    [("/proc", ""), ("/proc/self", "is not mounted"), ("/no/such/folder", "cannot be read")],
)
def test_missing_and_unreadable_mounts_are_problems(path, part):
    found, silent = gate_check.mount_problems([path], timeout=5)
    assert silent == []
    assert (not found) if not part else (len(found) == 1 and part in found[0])


PORT_TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:00DE 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:00DF 00000000:0000 0A 00000000:00000000 00:00000000 00000000 20009        0 1002 1 0000000000000000 100 0 0 10 0
   2: 0A010001:00DF 0A010002:C001 01 00000000:00000000 00:00000000 00000000     0        0 1003 1 0000000000000000 100 0 0 10 0
"""


@pytest.fixture
def proc(tmp_path):
    """A /proc with systemd listening on port 222, and PID 70 of UID 20009 on port 223."""
    (tmp_path / "net").mkdir()
    (tmp_path / "net/tcp").write_text(PORT_TABLE)
    (tmp_path / "sys/net/ipv4").mkdir(parents=True)
    (tmp_path / "sys/net/ipv4/ip_unprivileged_port_start").write_text("1024\n")
    for pid, inode, name in (("1", "1001", "systemd"), ("70", "1002", "sock\x1b[2Jet")):
        (tmp_path / pid / "fd").mkdir(parents=True)
        (tmp_path / pid / "fd/5").symlink_to(f"socket:[{inode}]")
        (tmp_path / pid / "comm").write_text(f"{name}\n")
    return tmp_path


def test_a_foreign_listener_is_named_with_its_owner(proc):
    assert list(gate_check.port_problems([222], proc=str(proc))) == []
    assert list(gate_check.port_problems([222, 223], proc=str(proc))) == [
        "port 223 is taken by sock?[2Jet (PID 70) of user 20009"
    ]


@pytest.mark.parametrize(("first", "bad"), [("1024", []), ("224", []), ("223", [223]), ("80", [222, 223])])
def test_ports_that_users_can_open_are_problems(proc, first, bad):
    (proc / "net/tcp").write_text("")
    (proc / "sys/net/ipv4/ip_unprivileged_port_start").write_text(first)
    found = list(gate_check.port_problems([222, 223], proc=str(proc)))
    assert [f"any user may listen on port {port}," in text for port, text in zip(bad, found)] == [True] * len(bad)
    assert len(found) == len(bad)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has such ports")
def test_a_client_of_a_storage_server_can_hold_a_low_port():
    """NFS and Lustre clients use source ports from 1023 down to 512, so the ports of the gate must be below."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    storage, listener = socket.socket(), socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with server, storage, listener:
        storage.bind(("127.0.0.1", 1019))
        storage.connect(server.getsockname())
        with pytest.raises(OSError) as raised:
            listener.bind(("", 1019))
        assert raised.value.errno == errno.EADDRINUSE
    assert gate_options.HIGHEST_PORT < 512


CONFIG = {
    "host_keys": [ED], "key_types": ["ed25519"], "users": [], "mounts": ["/fsx"], "mount_timeout": 5, "people_ports": [222],
    "port": 223,
}


@pytest.mark.parametrize(
    ("is_open", "option", "kind"), [(True, "warn", "warnings"), (True, "close", "problems"), (False, "warn", "problems")]
)
def test_a_mount_that_does_not_answer_is_a_problem_or_a_warning(monkeypatch, is_open, option, kind):
    monkeypatch.setattr(gate_check, "sshd_settings", lambda _port: ("", ""))
    monkeypatch.setattr(gate_check, "_touch", lambda _path, *, timeout: gate_check.SILENT)
    monkeypatch.setattr(gate_check, "mounted_paths", lambda: {"/fsx"})
    monkeypatch.setattr(gate_check, "port_problems", lambda _ports: [])
    ports = []
    monkeypatch.setattr(gate_check, "presented_keys", lambda port, _address, _types: ports.append(port) or dict([ED.split()]))
    found = gate_check.look({**CONFIG, "silent_mounts": option}, is_open=is_open)
    assert found == {"problems": [], "warnings": [], kind: [("gate-mounts", "/fsx does not answer within 5 s")]}
    assert ports == ["222" if is_open else "22"]


def test_a_file_system_is_not_probed_while_an_earlier_probe_hangs(monkeypatch, probe_locks):
    """A probe of a dead file system may survive SIGKILL, so each check must not start another one."""
    assert gate_check.mount_problems(["/proc"], timeout=5) == ([], [])
    (lock,) = probe_locks.iterdir()
    with open(lock) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        monkeypatch.setattr(subprocess, "Popen", None)
        assert gate_check.mount_problems(["/proc"], timeout=0) == ([], ["/proc does not answer within 0 s"])


SETTINGS = "port 22\nhostkey {0}/first\nhostkey {0}/second\nhostkey {0}/none\nhostcertificate {0}/certificate\n"


@pytest.mark.parametrize(
    ("first", "certificate", "problems"),
    [
        (0, "ssh-ed25519-cert-v01@openssh.com AAAB comment", []),
        (1, "ssh-ed25519-cert-v01@openssh.com AAAB", ["sshd presents an ssh-ed25519 host key that differs from the expected one"]),
        (None, "ssh-ed25519-cert-v01@openssh.com AAAB", ["sshd presented no host key of type ssh-ed25519"]),
        (0, "ssh-ed25519-cert-v01@openssh.com AAAC", ["sshd does not present the expected certificate of type ssh-ed25519-cert"]),
    ],
)
def test_a_closed_gate_is_judged_by_the_current_key_files(tmp_path, first, certificate, problems):
    """The sshd on port 22 has read its files at its start, so it may present keys whose files are gone."""
    lines = []
    for name in ("a", "b"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "two words", "-f", tmp_path / name], check=True)
        lines.append(" ".join((tmp_path / f"{name}.pub").read_text().split()[:2]))
    if first is not None:
        (tmp_path / "first").write_bytes((tmp_path / "ab"[first]).read_bytes())
        (tmp_path / "first").chmod(0o600)
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", tmp_path / "second"], check=True)
    (tmp_path / "certificate").write_text(certificate)
    config = {"host_keys": lines[:1], "host_certificates": [{"line": "ssh-ed25519-cert-v01@openssh.com AAAB", "until": 0}]}
    found = list(gate_check.file_problems(config, SETTINGS.format(tmp_path)))
    assert len(found) == len(problems) and all(text.startswith(f"with its current files, {part}") for part, text in zip(problems, found))
    assert list(gate_check.file_problems(config, "")) == []


@pytest.mark.parametrize("certificates", [False, True])
def test_ssh_keyscan_requests_all_types_of_host_keys(monkeypatch, tmp_path, certificates):
    scan = tmp_path / "ssh-keyscan"
    scan.write_text(f'#!/bin/sh\necho "$*" >{tmp_path}/arguments\necho 127.0.0.1 {ED}\n')
    scan.chmod(0o755)
    monkeypatch.setattr(gate_check, "SEARCH_PATH", str(tmp_path))
    assert gate_check.presented_keys("22", "127.0.0.1", HOST_KEY_TYPES, certificates=certificates) == dict([ED.split()])
    option = "-c " if certificates else ""
    assert (tmp_path / "arguments").read_text() == f"{option}-t ed25519,ecdsa,rsa -T 5 -p 22 127.0.0.1\n"


@pytest.mark.parametrize(
    ("script", "settings", "refused"),
    [
        ('[ "$1" = -t ] || echo "$@"', "-T -C user=nobody,host=127.0.0.1,addr=127.0.0.1,laddr=127.0.0.1,lport=222\n", ""),
        ('[ "$1" = -t ] || exit 255', "", ""),
        ("echo x >&2; printf 'bad\\033[2J line\\n' >&2; exit 255", "", "sshd does not accept its configuration: bad?[2J line"),
        (
            "[ -d {0}/run ] || {{ echo Missing privilege separation directory: {0}/run >&2; exit 255; }}; echo port 22",
            "port 22\n",
            "",
        ),
    ],
)
def test_sshd_settings_or_its_error_are_returned(monkeypatch, tmp_path, script, settings, refused):
    (tmp_path / "sshd").write_text("#!/bin/sh\n" + script.format(tmp_path) + "\n")
    (tmp_path / "sshd").chmod(0o755)
    monkeypatch.setattr(gate_check, "SEARCH_PATH", str(tmp_path))
    assert gate_check.sshd_settings(222) == (settings, refused)


@pytest.mark.parametrize(
    ("settings", "address"),
    [("", ("22", "127.0.0.1")), ("listenaddress [::]:23\n", ("23", "127.0.0.1")), ("listenaddress 10.0.0.1:22\n", ("22", "10.0.0.1"))],
)
def test_the_listen_address_is_read_from_the_settings(settings, address):
    assert gate_check.listen_address(settings) == address


def test_a_mount_that_does_not_answer_and_is_gone_is_missing(monkeypatch):
    monkeypatch.setattr(gate_check, "_touch", lambda _path, *, timeout: gate_check.SILENT)
    assert gate_check.mount_problems(["/no/such/folder"], timeout=5) == (["/no/such/folder is not mounted"], [])
