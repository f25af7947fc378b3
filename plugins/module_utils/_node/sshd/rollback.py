# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The timer that restores sshd's previous files, and the script that the timer runs. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import os

from ..files import read_bytes, replace_file, restore_label
from ..gate.watch import HOLD
from ..system import run

STATE_FOLDER = "/var/lib/mlfleet-hyperpod"
FOLDER = f"{STATE_FOLDER}/sshd-rollback"
PENDING = f"{FOLDER}/pending"
ROLLING = f"{FOLDER}/rolling"
OUTCOME = f"{FOLDER}/outcome.json"
SCRIPT = f"{FOLDER}/restore"
TIMER = "mlfleet-sshd-rollback.timer"
SERVICE = "mlfleet-sshd-rollback.service"
_UNIT_FOLDER = "/etc/systemd/system"

# If power fails during the script, the folder "rolling" remains. The timer is still enabled and completes the work after the boot.
RESTORE = f"""\
#!/bin/sh
# Restores the files of sshd after a change that no new login confirmed.
# Written by the Ansible collection mlfleet.hyperpod.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd {FOLDER} || exit 0
if [ ! -d rolling ] && ! mv pending rolling 2>/dev/null; then
    exec systemctl disable --now {TIMER}
fi
failed=0
while read -r saved path; do
    rm -f -- "$(dirname "$path")/.$(basename "$path").mlfleet-new"
    if [ "$saved" = - ]; then
        rm -f -- "$path" || failed=1
    else
        cp -p -- "rolling/$saved" "$path.mlfleet-old" && mv -f -- "$path.mlfleet-old" "$path" || failed=1
        if command -v restorecon >/dev/null; then restorecon -F "$path"; fi
    fi
done <rolling/files
sync
unit=$(cat rolling/unit)
if [ -n "$unit" ]; then
    systemctl reset-failed "$unit" 2>/dev/null
    systemctl reload-or-restart "$unit" || failed=1
fi
[ "$failed" = 0 ] || exit 1
mv -f rolling/outcome.json outcome.json
rm -rf rolling
rm -f {HOLD}
echo "The unconfirmed change of sshd was rolled back."
exec systemctl disable --now {TIMER}
"""


def install(*, confirm_timeout: int) -> None:
    """Write the script and the units. The timer is not started yet."""
    replace_file(SCRIPT, RESTORE.encode(), mode=0o700)
    restore_label(SCRIPT)
    for name, text in ((TIMER, timer_unit(confirm_timeout)), (SERVICE, SERVICE_UNIT)):
        path = os.path.join(_UNIT_FOLDER, name)
        if read_bytes(path) != text.encode():
            replace_file(path, text.encode(), mode=0o644)
            restore_label(path)
    run(["systemctl", "daemon-reload"], timeout=60)


def arm() -> None:
    """Start the timer, now and at each boot."""
    run(["systemctl", "enable", TIMER], timeout=60)
    run(["systemctl", "restart", TIMER])
    run(["systemctl", "is-active", "--quiet", TIMER])


def disarm() -> None:
    run(["systemctl", "disable", "--now", TIMER], timeout=60)


def timer_unit(confirm_timeout: int) -> str:
    return f"""\
# Written by the Ansible collection mlfleet.hyperpod.
[Unit]
Description=Roll back a change of sshd that no new login confirmed

[Timer]
OnActiveSec={confirm_timeout}s
AccuracySec=1s
Unit={SERVICE}

[Install]
WantedBy=timers.target
"""


SERVICE_UNIT = f"""\
# Written by the Ansible collection mlfleet.hyperpod.
[Unit]
Description=Roll back a change of sshd that no new login confirmed

[Service]
Type=oneshot
ExecStart=/bin/sh {SCRIPT}
"""
