# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A separate disk over the shared image."""

from __future__ import annotations

import contextlib
import shutil
import threading
from pathlib import Path

from lab.hosts import namespace


def blank(folder: Path, image: Path, *, source: str, root: str = "root") -> Path:
    """Mount an overlay of the image that stores changes below ``folder``; return its root folder."""
    for part in ("upper", "work", root):
        (folder / part).mkdir(parents=True)
    options = f"lowerdir={image},upperdir={folder}/upper,workdir={folder}/work,volatile"
    namespace.mount(source, folder / root, "overlay", data=options)
    return folder / root


def drop(folder: Path) -> None:
    """Remove a disk, even an incomplete one."""
    with contextlib.suppress(OSError):
        namespace.unmount(folder / "root")
    shutil.rmtree(folder, ignore_errors=True)


def replace(path: Path, text: str) -> bool:
    """Write a file if it differs; return whether it did."""
    if path.exists() and path.read_text() == text:
        return False
    draft = path.with_name(f"{path.name}.{threading.get_ident()}")
    draft.write_text(text)
    draft.rename(path)
    return True


def move_home(root: Path, user: str, home: str) -> None:
    """Set a user's home in /etc/passwd, as AWS's scripts do with usermod."""
    passwd = root / "etc/passwd"
    lines = [line.split(":") for line in passwd.read_text().splitlines()]
    for fields in lines:
        if fields[0] == user:
            fields[5] = home
    passwd.write_text("".join(":".join(fields) + "\n" for fields in lines))
