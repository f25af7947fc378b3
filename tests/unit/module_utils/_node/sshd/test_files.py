# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parser of sshd's configuration."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import files as sshd_files


def test_quotes_equals_signs_and_match_are_parsed():
    text = "# c\nPort 22\n\tX11Forwarding=yes\nMatch User a\n  PermitTTY no\nMatch all\nUseDNS  no\n"
    found = [(item.line, item.keyword, item.value, item.in_match) for item in sshd_files.parse(text, file="f")]
    assert found == [
        (2, "port", "22", False),
        (3, "x11forwarding", "yes", False),
        (4, "match", "User a", True),
        (5, "permittty", "no", True),
        (6, "match", "all", False),
        (7, "usedns", "no", False),
    ]


@pytest.mark.parametrize(
    "main, fine",
    [
        ("Include /etc/ssh/sshd_config.d/*.conf\nPort 22\n", True),
        ("Include sshd_config.d/*.conf\n", True),
        ("Port 22\n", False),
        ("#Include /etc/ssh/sshd_config.d/*.conf\n", False),
        ("Include /etc/ssh/other.d/*.conf\n", False),
        ("Match User bob\nInclude /etc/ssh/sshd_config.d/*.conf\n", False),
    ],
)
def test_an_include_of_the_folder_is_required(main, fine):
    if fine:
        sshd_files.check_include(main)
        return
    with pytest.raises(Refused, match="Include"):
        sshd_files.check_include(main)


def test_compose_includes_our_file_in_order(tmp_path):
    for name in ("00-a.conf", "50-b.conf"):
        (tmp_path / name).write_text("")
    drop_in = str(tmp_path / "10-ours.conf")
    main = f"Port 22\nInclude {tmp_path}/*.conf\nUseDNS no\n"
    composed = sshd_files.compose(main, ours="/run/new", drop_in=drop_in)
    assert composed.splitlines() == [
        "Port 22",
        f'Include "{tmp_path}/00-a.conf"',
        'Include "/run/new"',
        f'Include "{tmp_path}/50-b.conf"',
        "UseDNS no",
    ]
    (tmp_path / "10-ours.conf").write_text("old")
    assert "10-ours.conf" not in sshd_files.compose(main, ours=None, drop_in=drop_in)
