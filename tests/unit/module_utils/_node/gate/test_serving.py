# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The unit for a connection has the program, environment and limits of the node's own unit of sshd."""

from __future__ import annotations

import subprocess

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import serving as gate_serving

UBUNTU = """\
ExecStart={ path=/usr/sbin/sshd ; argv[]=/usr/sbin/sshd -D $SSHD_OPTS ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 }
LimitCORE=infinity
LimitCORESoft=0
LimitNOFILE=524288
LimitNOFILESoft=1024
EnvironmentFiles=/etc/default/ssh (ignore_errors=yes)
LoadState=loaded
"""
AMAZON = """\
ExecStart={ path=/usr/sbin/sshd ; argv[]=/usr/sbin/sshd -D $OPTIONS $CRYPTO_POLICY ; ignore_errors=no ; pid=7 ; status=0/0 }
EnvironmentFiles=/etc/crypto-policies/back-ends/opensshserver.config (ignore_errors=yes)
EnvironmentFiles=/etc/sysconfig/sshd (ignore_errors=no)
LoadState=loaded
"""


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        (
            UBUNTU,
            [
                "EnvironmentFile=-/etc/default/ssh",
                "ExecStart=-/usr/sbin/sshd -i $SSHD_OPTS",
                "LimitCORE=0:infinity",
                "LimitNOFILE=1024:524288",
            ],
        ),
        (
            AMAZON,
            [
                "EnvironmentFile=-/etc/crypto-policies/back-ends/opensshserver.config",
                "EnvironmentFile=/etc/sysconfig/sshd",
                "ExecStart=-/usr/sbin/sshd -i $OPTIONS $CRYPTO_POLICY",
            ],
        ),
        (
            UBUNTU.replace("EnvironmentFiles=", 'Environment=LANG=C "SSHD_OPTS=-o LogLevel=DEBUG -E /%h"\nEnvironmentFiles='),
            [
                'Environment=LANG=C "SSHD_OPTS=-o LogLevel=DEBUG -E /%%h"',
                "EnvironmentFile=-/etc/default/ssh",
                "ExecStart=-/usr/sbin/sshd -i $SSHD_OPTS",
                "LimitCORE=0:infinity",
                "LimitNOFILE=1024:524288",
            ],
        ),
        ("LoadState=not-found\n", []),
        ("", []),
    ],
)
def test_lines_are_copied_from_the_unit_of_sshd(shown, lines):
    assert gate_serving.parse(shown) == lines


@pytest.mark.parametrize(("kib", "connections"), [(500_000, 256), (3_900_000, 512), (16_000_000, 1920), (900_000_000, 4096)])
def test_the_limit_of_connections_depends_on_the_memory(kib, connections):
    assert gate_serving.connections(f"MemTotal:       {kib} kB\nMemFree: 1 kB\n".encode()) == connections


@pytest.mark.parametrize(("existing", "expected"), [("ssh", ["ssh"]), ("sshd", ["ssh", "sshd"]), ("", ["ssh", "sshd"])])
def test_the_existing_unit_of_sshd_is_read(monkeypatch, existing, expected):
    units = []

    def run(argv, *, check):
        assert argv[:2] == ["systemctl", "show"] and "ExecStart" in argv[2] and not check
        units.append(argv[3].removesuffix(".service"))
        return subprocess.CompletedProcess(argv, 0, UBUNTU if units[-1] == existing else "LoadState=not-found\n", "")

    monkeypatch.setattr(gate_serving, "run", run)
    assert gate_serving.lines()[-1 if not existing else 1] == f"ExecStart=-/usr/sbin/sshd -i{' $SSHD_OPTS' if existing else ''}"
    assert units == expected
