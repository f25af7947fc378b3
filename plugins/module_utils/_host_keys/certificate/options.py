# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``host_certificate``."""

from __future__ import annotations

import datetime
import typing as t

from ..._core.failure import refuse_option
from ..._ssh.public_key import BadKey, PublicKey
from .model import Desired

LONGEST_DAYS = 3650


def desired(params: t.Mapping[str, t.Any], *, now: datetime.datetime) -> Desired:
    """
    :raises Refused: for an invalid option, with its value and the allowed values.
    """
    keys = tuple(_key("public_keys", line) for line in params["public_keys"])
    if not keys or len({key.type for key in keys}) != len(keys):
        refuse_option("public_keys", params["public_keys"], "one host key of each type, at least one")
    principals = tuple(sorted({name for name in params["principals"] if name}))
    for name in principals:
        if not name.isprintable() or set(name) & set(" ,*?!"):
            refuse_option("principals", name, "names and addresses without spaces, commas and wildcards")
    if not principals:  # ssh accepts a certificate without principals for every host
        refuse_option("principals", params["principals"], "at least one name")
    days, before = params["valid_days"], params["renew_before_days"]
    if not 1 <= days <= LONGEST_DAYS:
        refuse_option("valid_days", days, f"a number from 1 to {LONGEST_DAYS}")
    if not 0 <= before < days:
        refuse_option("renew_before_days", before, f"a number from 0 to {days - 1}, less than valid_days")
    authority = _key("authority", params["authority"])
    return Desired(authority, keys, principals, params["key_id"], days, before, now.replace(microsecond=0))


def _key(option: str, line: str) -> PublicKey:
    try:
        return PublicKey.parse(line)
    except BadKey as error:
        refuse_option(option, line, "a public key line", str(error))
