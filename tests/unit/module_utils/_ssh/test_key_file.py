# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that sshd accepts are found in lines of any form. Results are compared with ssh-keygen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh import key_file

ED25519 = "AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG"
needs_openssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="compares with ssh-keygen")


@pytest.fixture(scope="module")
def rsa(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The base64 text of an RSA key, which is long enough to be split and has padding."""
    path = tmp_path_factory.mktemp("keys") / "rsa"
    subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", str(path)], check=True)
    return Path(f"{path}.pub").read_text().split()[1]


def openssh(path: Path) -> list[str]:
    done = subprocess.run(["ssh-keygen", "-lf", str(path)], capture_output=True, check=False)
    return [line.split()[1].decode() for line in done.stdout.split(b"\n") if line]


@needs_openssh
@pytest.mark.parametrize("inside", ["\v", "\f", "\r", "\v\r\f"])
@pytest.mark.parametrize("place", [2, 40, 100, -1])
def test_white_space_inside_the_base64_hides_no_key(tmp_path: Path, rsa: str, inside: str, place: int) -> None:
    path = tmp_path / "authorized_keys"
    path.write_bytes(f"ssh-rsa {rsa[:place]}{inside}{rsa[place:]} mallory\n".encode())
    found = key_file.read(str(path))
    assert [key["fingerprint"] for key in found.keys] == openssh(path) != []
    assert (found.keys[0]["comment"], found.remarks) == ("mallory", ())


@needs_openssh
@pytest.mark.parametrize(
    "line",
    [
        "\t ssh-rsa {rsa} mallory",
        "ssh-rsa\t {rsa}\r",
        "ssh-rsa \t{rsa}",
        "ssh-rsa {rsa}\0 no comment",
        "ssh-rsa {rsa} a\fb\u2028c\u0085d",
        "rsa-sha2-512 {rsa} the name of a signature",
        'from="10.0.0.0/8",command="a \\"b\\" c" ssh-rsa {rsa} x',
        "ssh-rsa {rsa} \udcff\udcfe",
    ],
)
def test_odd_lines_have_the_key_that_openssh_finds(tmp_path: Path, rsa: str, line: str) -> None:
    path = tmp_path / "authorized_keys"
    path.write_bytes((line.replace("{rsa}", rsa) + "\n").encode("utf-8", "surrogateescape"))
    (key,) = key_file.read(str(path)).keys
    assert [key["fingerprint"]] == openssh(path)
    assert key["type"] == "ssh-rsa" and key["comment"].isprintable()


@pytest.mark.parametrize(
    "line, key",
    [
        ("no-pty,expiry-time=\"20990101\" ssh-ed25519 {key} m@laptop", ("m@laptop", "no-pty", True)),
        ("ssh-ed25519 {key} a\x1b[2J", ("a?[2J", "", False)),
    ],
)
def test_options_expiry_and_comment_are_returned(line: str, key: tuple) -> None:
    ((found,), _strange) = key_file.parse(line.replace("{key}", ED25519))
    assert (found["comment"], found["options"], found["expires"] is not None) == key


@pytest.mark.parametrize("line", ["ssh-ed25519 {key} m", "rsa-sha2-512 {key} m", "\tno-pty  ssh-ed25519 {key} m"])
def test_keys_that_we_would_not_write_are_returned_in_the_same_form(line: str) -> None:
    ((found,), _strange) = key_file.parse(line.replace("{key}", ED25519))
    assert found.keys() == {"type", "fingerprint", "comment", "options", "expires"}
    assert (found["type"], found["comment"], found["expires"]) == ("ssh-ed25519", "m", None)


def test_a_file_that_was_not_read_completely_has_a_remark(tmp_path: Path) -> None:
    path, link = tmp_path / "authorized_keys", tmp_path / "link"
    link.symlink_to("authorized_keys")
    assert key_file.read(str(path)).remarks == ()
    path.write_text("# mine\n\n \t\r\nssh-ed25519 AAAA\n" + f"ssh-ed25519 {ED25519} m\n" + "nonsense\n" * 6)
    (remark,) = key_file.read(str(path)).remarks
    assert remark == f"{path} may have more keys, because the text in lines 4, 6, 7, 8, 9 and 2 more was not recognized as a key."
    path.write_text(("#" * 1023 + "\n") * 1025 + f"ssh-ed25519 {ED25519} m\n")
    assert key_file.read(str(path)).remarks == (f"{path} was not read completely: it is larger than 1 MiB.",)
    path.write_text(f"ssh-ed25519 {ED25519} m\n")
    followed = key_file.read(str(link))
    assert [key["comment"] for key in followed.keys] == ["m"]
    assert followed.remarks == (f"{link} is a symbolic link to authorized_keys. The keys are in that file.",)
    path.unlink()
    assert len(key_file.read(str(link)).remarks) == 1


def test_a_folder_has_no_keys(tmp_path: Path) -> None:
    assert key_file.read(str(tmp_path)) == key_file.Found()
