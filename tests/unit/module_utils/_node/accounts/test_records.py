# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account files as text, and their edits."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts import records
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.records import Edit

PASSWD = "root:x:0:0:root:/root:/bin/bash\n# a note\nbob:x:5002:5002::/fsx/bob:/bin/sh\n+::::::\n"
GROUP = "root:x:0:\nsudo:x:27:bob,carol\n"


@pytest.mark.parametrize(
    "file, before, edits, after",
    [
        ("passwd", PASSWD, [], PASSWD),
        ("passwd", PASSWD, [Edit("group", "bob", {"gid": "1"})], PASSWD),
        ("passwd", PASSWD, [Edit("passwd", "bob", {"shell": "/bin/bash"})], PASSWD.replace("/bin/sh", "/bin/bash")),
        ("passwd", PASSWD, [Edit("passwd", "bob")], PASSWD.replace("bob:x:5002:5002::/fsx/bob:/bin/sh\n", "")),
        ("passwd", PASSWD, [Edit("passwd", "missing")], PASSWD),
        (
            "passwd",
            PASSWD,
            [Edit("passwd", "al", {"uid": "1", "gid": "2", "home": "/h", "shell": "/s"})],
            PASSWD + "al:x:1:2::/h:/s\n",
        ),
        *[  # characters that do not end a line
            (
                "passwd",
                f"mal:x:9:9:Mal{char}bob:/fsx/mal:/bin/bash\nbob:x:2:2::/h:/s\n",
                [Edit("passwd", "bob", {"shell": "/z"})],
                f"mal:x:9:9:Mal{char}bob:/fsx/mal:/bin/bash\nbob:x:2:2::/h:/z\n",
            )
            for char in ("\u2028", "\u2029", "\x85", "\v", "\f", "\r", "\x1c", "\x1e")
        ],
        ("shadow", "", [Edit("shadow", "al", {"changed": "9", "expire": ""})], "al:*:9:0:99999:7:::\n"),
        ("shadow", "al:$6$x:9:0:99999:7:::\n", [Edit("shadow", "al", {"expire": "1"})], "al:$6$x:9:0:99999:7::1:\n"),
        ("gshadow", "", [Edit("gshadow", "al", {})], "al:!::\n"),
        ("group", GROUP, [Edit("group", "sudo", {}, add_members=("al", "bob"))], "root:x:0:\nsudo:x:27:bob,carol,al\n"),
        ("group", GROUP, [Edit("group", "sudo", {}, remove_members=("bob", "x"))], "root:x:0:\nsudo:x:27:carol\n"),
    ],
)
def test_edits_change_only_their_record(file: str, before: str, edits: list, after: str) -> None:
    assert records.apply_edits(file, before, edits) == after
    assert records.apply_edits(file, after, edits) == after
