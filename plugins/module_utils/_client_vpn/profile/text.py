# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The text of a profile: the configuration that an endpoint exports, a certificate and its private key."""

from __future__ import annotations

import re

from ..._core.failure import refuse_option
from ..._core.text import lines_of
from ..pki.crypto import NotReadable, read_certificate

# The directives that AWS's client supports. Source: its user guide.
AWS_DIRECTIVES = frozenset("""
    auth-federate auth-nocache auth-retry auth-user-pass ca cert cipher client connect-retry connect-retry-max
    cryptoapicert data-ciphers data-ciphers-fallback dev dev-type dhcp-option ifconfig-ipv6 inactive keepalive key
    mssfix nobind persist-key persist-tun ping ping-exit ping-restart pkcs12 proto pull pull-filter rcvbuf remote
    remote-cert-tls remote-random-hostname reneg-sec resolv-retry route route-ipv6 server-poll-timeout static-challenge
    tap-sleep tun-mtu tun-mtu-extra verb verify-x509-name
    """.split())
_REMOTE = re.compile(r"^remote[ \t]+(\S+)", re.M)
_LABEL = re.compile(r"[a-z0-9]{1,63}")


def configuration(exported: str, *, client: str) -> str:
    """The exported configuration, in a form that the client supports.

    :raises Refused: if the client can't sign in to the endpoint.
    """
    text = "\n".join(line.rstrip() for line in lines_of(exported)).strip() + "\n"
    if client == "aws":
        return _only_known(text)
    if re.search(r"^auth-federate\b", text, re.M):
        refuse_option("client", client, "aws", "the endpoint signs people in with SAML")
    return text


def joined(text: str, certificate: str, private_key: str, *, label: str = "") -> str:
    """The profile of a person. It contains a private key, so it must be stored only in the person's file."""
    if label:
        text = re.sub(r"^remote-random-hostname\n", "", text, flags=re.M)
        text = _REMOTE.sub(lambda match: f"remote {label}.{_plain(match[1])}", text)
    return f"{text}\n<cert>\n{certificate.strip()}\n</cert>\n\n<key>\n{private_key.strip()}\n</key>\n"


def label_in(text: str, exported: str) -> str:
    """The label before the endpoint's DNS name in a profile; empty without one, or for a different endpoint."""
    have, wants = _REMOTE.search(text), _REMOTE.search(exported)
    if not have or not wants:
        return ""
    label, _dot, rest = have[1].partition(".")
    return label if rest == _plain(wants[1]) and _LABEL.fullmatch(label) else ""


def serial_in(text: str) -> str:
    """Serial number of the certificate in a profile; empty without a certificate."""
    found = re.search(r"<cert>(.*?)</cert>", text, re.S)
    try:
        return read_certificate(found[1]).serial if found else ""
    except NotReadable:
        return ""


def _plain(host: str) -> str:
    """The host name without the wildcard label that AWS returns."""
    return host[2:] if host.startswith("*.") else host


def _only_known(text: str) -> str:
    kept, inside = [], ""
    for line in lines_of(text):
        opening = re.fullmatch(r"<(/?)([a-z0-9-]+)>", line.strip())
        word = opening[2] if opening else (line.split() or [""])[0]
        if inside or not word or word in AWS_DIRECTIVES:
            kept.append(line)
        if opening:
            inside = "" if opening[1] else word
    return "\n".join(kept) + "\n"
