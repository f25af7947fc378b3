# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares the presented keys with the expected keys, and builds the return values of ``ssh_endpoint_info``."""

from __future__ import annotations

import typing as t

from ..._ssh.public_key import PublicKey
from .model import Desired, ScanResult, State

AGREES, DIFFERS, UNVERIFIED = "agrees", "differs", "unverified"


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    return {"ssh_endpoints": summary(state, expected=desired.expected)}


def verdict(scan: ScanResult, *, expected: t.AbstractSet[PublicKey], others: t.AbstractSet[PublicKey]) -> str:
    """The verdict for one endpoint.

    The expected keys are those of the endpoint, or else ``expected``, or else the keys of all endpoints together. A wrong key is a
    difference even if a different attempt failed. Without a wrong key, a failed attempt leaves the endpoint unverified.
    """
    wanted = scan.endpoint.expected or expected or others
    if scan.keys - wanted or has_two_of_a_type(scan.keys):
        return DIFFERS
    if not scan.complete:
        return UNVERIFIED
    return AGREES if scan.keys == wanted and not has_two_of_a_type(wanted) else DIFFERS


def summary(scans: State, *, expected: t.AbstractSet[PublicKey]) -> dict[str, t.Any]:
    union = frozenset(key for scan in scans for key in scan.keys)
    verdicts = [verdict(scan, expected=expected, others=union) for scan in scans]
    reached = [scan for scan in scans if scan.complete]
    everything = bool(scans) and len(reached) == len(scans)
    same = everything and len({scan.keys for scan in scans}) == 1 and not has_two_of_a_type(union)
    overall = DIFFERS if DIFFERS in verdicts else UNVERIFIED if UNVERIFIED in verdicts or not verdicts else AGREES
    return {
        "endpoints": [_describe(scan, word) for scan, word in zip(scans, verdicts)],
        "same_keys": same,
        "matches_expected": (overall == AGREES) if expected or any(scan.endpoint.expected for scan in scans) else None,
        "verdict": overall,
    }


def has_two_of_a_type(keys: t.AbstractSet[PublicKey]) -> bool:
    return len({key.algorithm for key in keys}) != len(keys)


def _describe(scan: ScanResult, word: str) -> dict[str, t.Any]:
    return {
        "name": scan.endpoint.name,
        "host": scan.endpoint.host,
        "port": scan.endpoint.port,
        "reachable": scan.latency_ms is not None,
        "banner": scan.banner,
        "latency_ms": scan.latency_ms,
        "host_keys": [
            key.to_result() for key in sorted(scan.keys, key=lambda key: key.line) if not key.certifies
        ],
        "certificates": sorted(key.line for key in scan.keys if key.certifies),
        "verdict": word,
        "error": scan.error or None,
    }
