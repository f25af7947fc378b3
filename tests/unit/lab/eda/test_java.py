# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Java of an unpacked package."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.eda import java
from lab.names import LabError

DEPENDS = "default-jre-headless\n  Depends: openjdk-21-jre-headless\n  Depends: java-common\n"


def test_the_package_of_the_release() -> None:
    assert java.package(DEPENDS) == "openjdk-21-jre-headless"


def test_a_machine_without_java_packages() -> None:
    with pytest.raises(LabError, match="apt of this machine has no Java"):
        java.package("default-jre-headless\n  Depends: java-common\n")


def test_links_to_files_of_the_package_are_relative(tmp_path: Path) -> None:
    settings, home = tmp_path / "etc/java-21-openjdk", tmp_path / "usr/lib/jvm/java-21"
    settings.mkdir(parents=True)
    (settings / "jvm.cfg").write_text("-server KNOWN\n")
    home.mkdir(parents=True)
    for name, target in (("jvm.cfg", "/etc/java-21-openjdk/jvm.cfg"), ("conf", "/etc/java-21-openjdk"), ("cacerts", "/etc/ssl/cacerts")):
        (home / name).symlink_to(target)
    (home.parent / "default").symlink_to("java-21")
    java.relink(tmp_path)
    assert (home / "jvm.cfg").resolve() == settings / "jvm.cfg" and (home / "conf").resolve() == settings
    assert str((home / "cacerts").readlink()) == "/etc/ssl/cacerts", "not a file of the package"
    assert java.home(tmp_path) == home
