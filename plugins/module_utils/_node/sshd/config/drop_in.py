# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The text of our drop-in for sshd. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from .. import host_certificates
from ..files import Effective
from ..host_keys.model import NEXT, private_path
from .model import REFUSAL, Desired

_HEADER = "# Written by the Ansible collection mlfleet.hyperpod (sshd_config); changes made here are overwritten.\n"


def render(desired: Desired, *, without_ours: Effective) -> str:
    """The drop-in's text. If users may have their own keys, the node's AuthorizedKeysFile paths follow ours."""
    ours = f"{desired.authorized_keys_dir}/%u"
    others = [
        file for file in " ".join(without_ours.get("authorizedkeysfile", ())).split() if file not in (ours, "none")
    ]
    lines = [f"HostKey {private_path(slot)}" for slot in host_key_slots(desired)]
    lines += [f"HostCertificate {host_certificates.certificate_path(each)}" for each in desired.host_certificates]
    lines += [
        f"ClientAliveInterval {desired.client_alive_interval}",
        f"ClientAliveCountMax {desired.client_alive_count_max}",
        f"MaxStartups {desired.max_startups}",
        f"AuthorizedKeysFile {' '.join([ours] if desired.deny_user_keys else [ours, *others])}",
    ]
    if desired.password_authentication is not None:
        word = _word(desired.password_authentication)
        lines += [f"PasswordAuthentication {word}", f"KbdInteractiveAuthentication {word}"]
    if desired.source_penalties is not None and "persourcepenalties" in without_ours:
        lines.append(f"PerSourcePenalties {_word(desired.source_penalties)}")
    if desired.operations_user:
        lines += [
            f"Match User {desired.operations_user}",
            f"    AuthorizedKeysFile {ours}",
            "    AuthorizedKeysCommand none",
        ]
    if desired.refuse_logins:
        lines += _refusing(desired.operations_user)
    lines.append("Match all")
    return _HEADER + "\n".join(lines) + "\n"


def host_key_slots(desired: Desired) -> tuple[str, ...]:
    """The keys in the order that sshd needs: sshd presents the first key of each type, and announces all of them."""
    return (*desired.host_key_types, *(key_type + NEXT for key_type in desired.next_host_key_types))


def _refusing(operations_user: str) -> list[str]:
    """The lines that refuse all logins of users, who see the message before they authenticate.

    ForceCommand is no substitute: sshd runs it in the user's shell, which first reads the user's ~/.bashrc.
    """
    spared = ",".join(f"!{user}" for user in ("root", operations_user) if user)
    return [f"Match User *,{spared}", f"    Banner {REFUSAL}", "    DenyUsers *"]


def _word(flag: bool) -> str:
    return "yes" if flag else "no"
