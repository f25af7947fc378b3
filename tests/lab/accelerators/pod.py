# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A container that has only Python, on a node with simulated accelerators, whose root is mounted at /host. Needs root."""

from __future__ import annotations

import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

from . import present
from .story import Story

OF_NODE = ("sh", "cat")
"""Programs that the node's tools call."""
START = """
root=$1 python=$2
shift 2
bound() { mkdir -p "$root$1"; mount --bind "$1" "$root$1"; }
bound /usr
bound "$python"
for folder in lib lib64; do
    mkdir -p "$root/host/usr/$folder"
    mount --bind "/usr/$folder" "$root/host/usr/$folder"
    ln -sfn "usr/$folder" "$root/$folder"
    ln -sfn "usr/$folder" "$root/host/$folder"
done
ln -sfn usr/bin "$root/bin"
mkdir -p "$root/tmp" "$root/dev"
touch "$root/dev/null"
mount --bind /dev/null "$root/dev/null"
PATH="$python/bin:$PATH" exec chroot "$root" "$@"
"""


def output(story: Story, root: Path, files: t.Mapping[str, bytes], command: t.Sequence[str]) -> str:
    """Run the command and return its output.

    :param root: An empty folder, for the container's root.
    :param files: Contents of mounted files by path in the container.
    """
    present.present(story, root / "host", seen=Path("/"))
    for name in OF_NODE:
        shutil.copy(f"/bin/{name}", root / "host/bin")
    for name, content in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-eu", "-c", START, "sh", str(root), sys.base_prefix]
    return subprocess.run([*argv, *command], check=True, capture_output=True, text=True).stdout
