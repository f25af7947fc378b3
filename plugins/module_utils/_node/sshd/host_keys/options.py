# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``ssh_host_keys``. Messages contain no key text."""

from __future__ import annotations

import typing as t
from dataclasses import replace

from ...._core.failure import refuse_shown
from ...._ssh.private_key import parse_private
from ...._ssh.public_key import HOST_KEY_TYPES, BadKey, PublicKey
from ...system import CommandFailed, run
from .model import HostKey


def desired(params: t.Mapping[str, t.Any]) -> tuple[HostKey, ...]:
    current = checked_pairs(params["keys"] or {})
    wanted = (*current, *next_pairs(params["next_keys"] or {}, current))
    check_with_ssh_keygen(wanted)
    return wanted


def next_pairs(keys: t.Mapping[str, t.Mapping[str, str]], current: t.Sequence[HostKey]) -> tuple[HostKey, ...]:
    """Validate the option ``next_keys``, which may be empty.

    :raises Refused: also for a key that is already in ``keys``, because clients ignore an announcement that names a key twice.
    """
    if not any(keys.values()):
        return ()
    found = checked_pairs(keys, option="next_keys")
    for key in found:
        if key.public in [each.public for each in current]:
            refuse_shown(f"next_keys.{key.type}", key.public.fingerprint, "a different key", "it is also in keys")
    return tuple(replace(key, is_next=True) for key in found)


def checked_pairs(keys: t.Mapping[str, t.Mapping[str, str]], *, option: str = "keys") -> tuple[HostKey, ...]:
    """Validate the option ``keys``. Messages contain no key text."""
    given = {key_type: pair for key_type, pair in keys.items() if pair}
    if not given:
        refuse_shown(option, "an empty set", f"a pair for at least one of {', '.join(HOST_KEY_TYPES)}")
    return tuple(
        _checked_pair(f"{option}.{key_type}", key_type, given[key_type])
        for key_type in HOST_KEY_TYPES
        if key_type in given
    )


def _checked_pair(option: str, key_type: str, pair: t.Mapping[str, str]) -> HostKey:
    try:
        public = PublicKey.parse(pair["public"])
    except BadKey as error:
        refuse_shown(f"{option}.public", "this text", f"a public key of type {key_type}", str(error))
    try:
        inside = parse_private(pair["private"])
    except BadKey as error:
        refuse_shown(f"{option}.private", "this text", "an unencrypted OPENSSH private key", str(error))
    for name, key in (("public", public), ("private", inside)):
        if key.type != key_type:
            refuse_shown(f"{option}.{name}", f"a key of type {key.type}", f"a key of type {key_type}")
    if inside != public:
        why = f"the private key is {inside.fingerprint}, and the public key is {public.fingerprint}"
        refuse_shown(option, "a pair whose keys do not match", "a private key with its public key", why)
    comment = " ".join(pair["public"].split()[2:])
    return HostKey(public=public, comment=comment, private=pair["private"].strip() + "\n")


def check_with_ssh_keygen(wanted: t.Iterable[HostKey]) -> None:
    """Check that ssh-keygen derives the public key from the private key.

    The parser reads only the public key that the private key file contains in clear text, which could be a different one.
    """
    for key in wanted:
        option = f"{'next_keys' if key.is_next else 'keys'}.{key.type}"
        try:
            derived = PublicKey.parse(
                run(["ssh-keygen", "-y", "-P", "", "-f", "/dev/stdin"], stdin=key.private).stdout.strip()
            )
        except (CommandFailed, BadKey):
            refuse_shown(f"{option}.private", "this key", "an intact private key", "ssh-keygen cannot read it")
        if derived != key.public:
            why = f"the private key is {derived.fingerprint}, and the public key is {key.public.fingerprint}"
            refuse_shown(option, "a pair whose keys do not match", "a private key with its public key", why)
