# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Host certificates on a node: their files, and the options that contain certificates. Standard library only, Python 3.9 syntax.

The content of a certificate is checked when it is created. Here, a certificate is only a line for a key type.
"""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Secret
from ..._ssh.public_key import HOST_KEY_TYPES, BadKey, PublicKey
from ..files import read_bytes
from .host_keys.model import private_path
from .model import FileWrite


def certificate_path(key_type: str) -> str:
    return f"{private_path(key_type)}-cert.pub"


def parse_certificate(option: str, line: str) -> PublicKey:
    """
    :raises Refused: if the line is not a certificate for a host key of a supported type.
    """
    try:
        found = PublicKey.parse(line)
    except BadKey as error:
        refuse_option(option, line, "a certificate line", str(error))
    if not found.certifies:
        refuse_option(option, line, f"a certificate of a key of type {', '.join(HOST_KEY_TYPES)}")
    return found


def desired(option: t.Mapping[str, str | None] | None) -> dict[str, str]:
    """Lines, keyed by key type, in the order of types. In check mode, a predicted certificate has no text yet."""
    given = {key_type: line for key_type, line in (option or {}).items() if line}
    wanted = {}
    for key_type in HOST_KEY_TYPES:
        line = given.get(key_type)
        if line is None:
            continue
        if line != KNOWN_AFTER_APPLY:
            name = f"host_certificates.{key_type}"
            found = parse_certificate(name, line)
            if found.certifies != key_type:
                refuse_option(name, line, f"the certificate of a {key_type} key")
            line = found.line
        wanted[key_type] = line
    return wanted


def observe() -> dict[str, str]:
    """Texts of the certificate files, keyed by key type."""
    found = {key_type: read_bytes(certificate_path(key_type)) for key_type in HOST_KEY_TYPES}
    return {key_type: text.decode("utf-8", "replace") for key_type, text in found.items() if text is not None}


def plan(
    wanted: t.Mapping[str, str], found: t.Mapping[str, str], *, ours: str
) -> t.Iterator[tuple[FileWrite, Change]]:
    """The files to write, and the files to remove: those that our drop-in names and that are no longer needed.

    :param ours: the current text of our drop-in.
    """
    for key_type in HOST_KEY_TYPES:
        path = certificate_path(key_type)
        resource = f"host certificate {path}"
        before = _fingerprint(found[key_type]) if key_type in found else None
        if key_type in wanted:
            text = wanted[key_type] + "\n"
            if found.get(key_type) != text:
                action = "update" if key_type in found else "create"
                yield FileWrite(path, text.encode()), Change(action, resource, "fingerprint", before, _fingerprint(text))
        elif key_type in found and f"HostCertificate {path}\n" in ours:
            yield FileWrite(path, None), Change("delete", resource, "fingerprint", before)


def _fingerprint(text: str) -> str:
    """The fingerprint for a diff, because certificates are long and differ each time."""
    if text.strip() == KNOWN_AFTER_APPLY:
        return KNOWN_AFTER_APPLY
    try:
        return PublicKey.parse(text).fingerprint
    except BadKey:
        return str(Secret.of(text))
