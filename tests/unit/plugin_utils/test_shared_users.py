"""The workshop's user files as a declaration."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import shared_users

TEXT = """\
# people of the workshop
alice,2001,/fsx/alice

 bob , 2002
carol,2003,
"""
FLAT = """\
shared_filesystem_mount: /home/
users:
  - username: alice
    uid: 2001
  - {username: bob, uid: 2002}
"""
GROUPED = """\
groups:
  - name: research
    slurm_account: research
    users:
      - username: alice
        uid: 2001
  - name: platform
    shared_filesystem_mount: /scratch
    users:
      - username: carol
        uid: 3001
  - name: nobody
"""


def fields_of(listed: list[shared_users.Listed]) -> list[tuple]:
    return [(each.name, each.uid, each.home, each.source) for each in listed]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "f.txt",
            TEXT,
            [
                ("alice", 2001, "/fsx/alice", "f.txt line 2"),
                ("bob", 2002, None, "f.txt line 4"),
                ("carol", 2003, None, "f.txt line 5"),
            ],
        ),
        ("f.txt", "", []),
        ("f.txt", "alice,2001 # mine\u2028bob,2002\fcarol,2003\n", [("alice", 2001, None, "f.txt line 1")]),
        (
            "f.yaml",
            FLAT,
            [("alice", 2001, "/home/alice", "f.yaml line 3"), ("bob", 2002, "/home/bob", "f.yaml line 5")],
        ),
        (
            "f.yml",
            GROUPED,
            [("alice", 2001, None, "f.yml line 5"), ("carol", 3001, "/scratch/carol", "f.yml line 10")],
        ),
        ("f.yaml", "", []),
        ("f.yaml", "users:\n", []),
    ],
)
def test_both_forms_are_parsed(tmp_path, monkeypatch, path, text, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / path).write_text(text)
    assert fields_of(shared_users.read(path)) == expected


@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        ("f.txt", "alice\n", "f.txt line 1: 'alice' is not allowed. Allowed: NAME,UID or NAME,UID,HOME."),
        ("f.txt", "a,1,/b,c\n", "f.txt line 1: 'a,1,/b,c' is not allowed. Allowed: NAME,UID or NAME,UID,HOME."),
        ("f.txt", "\nalice,x\n", "f.txt line 2: 'alice,x' is not allowed. Allowed: NAME,UID or NAME,UID,HOME."),
        (
            "f.yaml",
            "users:\n  - username: alice\n    uid: 12:30\n",
            "f.yaml line 2: {'username': 'alice', 'uid': '12:30'} is not allowed. Allowed: a username and a whole number as uid.",
        ),
        (
            "f.yaml",
            "users:\n  - username: alice\n",
            "f.yaml line 2: {'username': 'alice'} is not allowed. Allowed: a username and a whole number as uid.",
        ),
        (
            "f.yaml",
            "users: [alice]\n",
            "f.yaml: 'alice' is not allowed. Allowed: a username and a whole number as uid.",
        ),
        (
            "f.yaml",
            "users: []\ngroups: []\n",
            "f.yaml: users and groups together is not allowed. Allowed: a list named users, or a list named groups whose entries have a list named users.",
        ),
        ("f.yaml", "users:\n- {username: a, uid: 1, uid: 2}\n", "f.yaml: it has the key users[0].uid twice (line 2)."),
        ("f.yaml", "users: [\n", "f.yaml: it is not YAML (line 2): "),
    ],
)
def test_errors_are_reported_with_their_line(tmp_path, monkeypatch, path, text, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / path).write_text(text)
    with pytest.raises(shared_users.BadUsersFile) as error:
        shared_users.read(path)
    assert str(error.value).startswith(sentence)


def test_a_missing_file_is_an_error(tmp_path):
    for name in ("root", "ubuntu", "ec2-user"):
        (tmp_path / "f.txt").write_text(f"alice,2001\n{name},1000,/fsx/mallory/u\n")
        with pytest.raises(shared_users.BadUsersFile, match=f"f.txt line 2: '{name}' is not allowed. Allowed: names of users"):
            shared_users.read(str(tmp_path / "f.txt"))
    sentence = "hyperpod_users_files: .*/none.txt can't be read: No such file"
    with pytest.raises(shared_users.BadUsersFile, match=sentence):
        shared_users.read(str(tmp_path / "none.txt"))


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_a_line_feed_ends_a_line(sign):
    with pytest.raises(shared_users.BadUsersFile):
        shared_users.parse_text(f"alice,2001,/fsx/alice{sign}mallory,2002,/fsx/mallory\n", "f.txt")
