# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from lab import debian
from lab.names import LabError

OURS = "Debian|Debian|http://mirror.example/debian/"


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ("", None),
        (f"{OURS}\n{OURS}\n", "http://mirror.example/debian"),
        ("Debian|Debian|http://proxy.example:3142/bookworm", "http://proxy.example:3142/bookworm"),
        (f"Debian|Debian-Security|http://mirror.example/debian-security/\n{OURS}", "http://mirror.example/debian"),
        ("Debian Backports|Debian Backports|http://mirror.example/backports/\n", None),
        ("Ubuntu|Ubuntu|http://mirror.example/ubuntu/\n", None),
        ("||http://never.fetched.example/debian/\n", None),
        (f"Debian|Debian|cdrom://[Debian GNU_Linux 13]/\nother|other|https://other.example/apt/\n{OURS}", "http://mirror.example/debian"),
    ],
)
def test_mirror_of_the_machine(targets, expected):
    assert debian.find_mirror(targets) == expected


def test_the_variable_overrides_the_mirror_of_the_machine(monkeypatch):
    monkeypatch.setenv(debian.MIRROR, "http://mine.example/debian")
    assert debian.mirror([], "trixie") == "http://mine.example/debian"


def test_a_machine_without_debian_names_the_variable_to_set(monkeypatch, tmp_path):
    monkeypatch.delenv(debian.MIRROR, raising=False)
    nothing = ["-o", f"Dir::Etc={tmp_path}", "-o", f"Dir::State::Lists={tmp_path}"]
    with pytest.raises(LabError, match=f"set {debian.MIRROR} to the URL of a mirror that has trixie"):
        debian.mirror(nothing, "trixie")
