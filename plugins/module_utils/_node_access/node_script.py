# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The script that an SSM session runs as root on a node, and the parsing of its output.

The script is idempotent. It first prints the disk mark and the host keys. If keys are expected, and the files on the same disk
contain different keys, the script stops before any change.

After the files of keys are removed or replaced, sshd continues to present the keys that it was started with. So the keys that
sshd presents are added to the keys in the files, if no keys are expected or if the presented keys are among the expected ones.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from .._core.text import lines_of, printable
from .._ssh.public_key import HOST_KEY_TYPES
from .model import Keys, Operations, checked_mark, parse_keys

MARK = "mlfleet-hyperpod-operations"
"""The comment of our key's line. Other lines of the file are kept, unless other accounts could have written them."""

_SCRIPT = r"""
set -u
umask 022
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
cd / || exit 3
fail() { echo "error $*"; exit 3; }
[ "$(id -u)" = 0 ] || fail "the session does not run as root and cannot use sudo"

host_key_files() {
  files=$(sshd -T 2>/dev/null | awk '$1 == "hostkey" {print $2}')
  [ -n "$files" ] || files=$(/usr/sbin/sshd -T 2>/dev/null | awk '$1 == "hostkey" {print $2}')
  [ -n "$files" ] || files=$(ls /etc/ssh/ssh_host_*_key 2>/dev/null)
  for file in $files; do [ -s "$file" ] && echo "$file"; done
}
presented_keys() {
  owners=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$2 ~ /:0016$/ && $4 == "0A" {print $8}' | sort -u)
  [ "$owners" = 0 ] || return 0  # a process of a different user than root listens on port 22
  ssh-keyscan -T 5 -t "$TYPES" 127.0.0.1 2>/dev/null | awk '{print $2, $3}'
}

folder=/var/lib/mlfleet-hyperpod
read_mark() {
  if [ ! -L "$folder" ] && [ -f "$folder/disk-mark" ] && [ ! -L "$folder/disk-mark" ]; then
    grep -x '[0-9a-f]\{32\}' "$folder/disk-mark" 2>/dev/null | head -n 1
  fi
}
found=$(read_mark)
[ -z "$found" ] || echo "mark $found"
[ -z "$DISK" ] || [ "$found" = "$DISK" ] || EXPECTED=  # a different disk: the keys of the previous disk are not expected

keys=$(
  for file in $(host_key_files); do ssh-keygen -y -f "$file" </dev/null 2>/dev/null; done | awk '{print $1, $2}'
  presented_keys | while read -r key; do
    case "$EXPECTED" in "" | *"$key;"*) echo "$key" ;; esac
  done
)
[ -n "$keys" ] || fail "sshd has no host keys yet"
echo "$keys" | sed 's/^/hostkey /'

common=no
while read -r type blob; do
  case "$EXPECTED" in
    "") common=yes ;;
    *"$type $blob;"*) common=yes ;;
    *"$type "*) echo "mismatch $type"; exit 4 ;;
  esac
done <<END
$keys
END
[ "$common" = yes ] || { echo "mismatch all"; exit 4; }

entry=$(getent passwd "$ACCOUNT" || true)
if [ -z "$entry" ]; then
  home=/var/lib/$ACCOUNT
  useradd --system --user-group --home-dir "$home" --no-create-home --shell /bin/bash "$ACCOUNT" >/dev/null 2>&1 \
    || fail "useradd $ACCOUNT failed"
  usermod -p '*' "$ACCOUNT" || fail "usermod $ACCOUNT failed"
  echo "changed account $ACCOUNT"
  entry=$(getent passwd "$ACCOUNT") || fail "account $ACCOUNT was not created"
fi
expires=$(getent shadow "$ACCOUNT" | cut -d: -f8)
if [ -n "$expires" ] && [ "$expires" -le $(($(date +%s) / 86400)) ]; then
  usermod --expiredate '' "$ACCOUNT" || fail "usermod $ACCOUNT failed"
  echo "changed account $ACCOUNT, which had expired"
fi
case "$(echo "$entry" | cut -d: -f7)" in
  */nologin|*/false)
    usermod --shell /bin/bash "$ACCOUNT" >/dev/null 2>&1 || fail "usermod $ACCOUNT failed"
    echo "changed account $ACCOUNT, whose shell allowed no login" ;;
esac
home=$(echo "$entry" | cut -d: -f6)
group=$(id -g "$ACCOUNT")
place=$home
while [ ! -d "$place" ]; do place=$(dirname "$place"); done
case "$(stat -f -c %T "$place")" in
  nfs*|lustre|fuse*|cifs|smb*|afs|ceph|gpfs) fail "home $home of account $ACCOUNT is on a network file system" ;;
esac
[ -d "$home" ] || { install -d -m 0750 -o "$ACCOUNT" -g "$group" "$home" || fail "$home could not be created"; }

is_open() {  # FILE OWNER: whether accounts other than root and OWNER can write to FILE
  [ -e "$1" ] && [ -n "$(find "$1" -maxdepth 0 '(' ! -user root ! -user "$2" -o -perm /022 ')')" ]
}
set_aside() {  # FOLDER TEST...: rename entries so that programs no longer find them
  place=$1; shift
  find "$place" -mindepth 1 -maxdepth 1 ! -name '*.set-aside-*' "$@" -exec sh -c '
    for each; do
      name=$(printf %.200s "${each##*/}")
      mv -fT -- "$each" "${each%/*}/.${name#.}.set-aside-$$" || exit 1
    done' sh '{}' + || fail "files of other accounts in $place could not be renamed"
  echo "changed $place, files of other accounts are set aside"
}
make_room() {
  [ -L "$1" ] || [ ! -d "$1" ] || rmdir "$1" 2>/dev/null || fail "$1 is a folder with files in it"
}
put_key() {  # FILE OWNER GROUP MODE
  make_room "$1"
  kept=/dev/null note=
  if [ -f "$1" ] && [ ! -L "$1" ]; then
    if [ "$closed" = yes ] && ! is_open "$1" "$2"; then kept=$1; else note=", without lines that others could have written"; fi
  fi
  new=$(mktemp "$1.XXXXXX") || fail "no temporary file could be created in the folder of $1"
  { grep -v " $MARK\$" "$kept" || true; echo "$KEY $MARK"; } >"$new"
  if [ "$kept" = "$1" ] && cmp -s "$new" "$1"; then rm -f "$new"; else
    chown "$2:$3" "$new" && chmod "$4" "$new" && mv -fT "$new" "$1" || fail "$1 could not be written"
    echo "changed $1$note"
  fi
}
[ ! -L "$home/.ssh" ] || fail "$home/.ssh is a symbolic link"
closed=yes
if is_open "$home" "$ACCOUNT" || is_open "$home/.ssh" "$ACCOUNT"; then closed=no; fi
install -d -m 0700 -o "$ACCOUNT" -g "$group" "$home/.ssh" || fail "$home/.ssh could not be created"
[ "$closed" = yes ] || set_aside "$home/.ssh" '(' ! -user root ! -user "$ACCOUNT" -o -type f -perm /022 ')'
put_key "$home/.ssh/authorized_keys" "$ACCOUNT" "$group" 0600
managed=/etc/ssh/authorized_keys.d closed=yes
if is_open "$managed" root; then closed=no; fi
install -d -m 0755 -o root -g root "$managed" || fail "$managed could not be created"
[ "$closed" = yes ] || set_aside "$managed" ! -name '.*' ! -name "$ACCOUNT"  # other accounts could rename root's files there
put_key "$managed/$ACCOUNT" root root 0644

sudoers=/etc/sudoers.d/$ACCOUNT
[ -d /etc/sudoers.d ] || fail "sudo is not installed"
make_room "$sudoers"
new=$(mktemp "$sudoers.XXXXXX") || fail "no temporary file could be created in the folder of $sudoers"
echo "$ACCOUNT ALL=(ALL:ALL) NOPASSWD: ALL" >"$new"
chmod 0440 "$new"
if ! visudo -cqf "$new" >/dev/null 2>&1; then rm -f "$new"; fail "visudo refused the rule for $ACCOUNT"; fi
made=no
if [ -f "$sudoers" ] && [ ! -L "$sudoers" ] && [ "$(stat -c '%u %a' "$sudoers")" = "0 440" ]; then made=yes; fi
if [ "$made" = yes ] && cmp -s "$new" "$sudoers"; then rm -f "$new"; else
  mv -fT "$new" "$sudoers" || fail "$sudoers could not be written"
  echo "changed $sudoers"
fi

pam=/etc/pam.d/sshd
adopts='^[[:space:]]*-?account[[:space:]].*pam_slurm_adopt'
if [ -f "$pam" ] && grep -Eq "$adopts" "$pam"; then
  [ ! -L "$pam" ] || fail "pam_slurm_adopt in $pam refuses $ACCOUNT, and $pam was not changed because it is a symbolic link"
  new=$(mktemp "$pam.XXXXXX") || fail "no temporary file could be created in the folder of $pam"
  chown --reference="$pam" "$new" && chmod --reference="$pam" "$new" || fail "the owner and mode of $pam could not be set on $new"
  awk -v adopts="$adopts" -v ours="account sufficient pam_succeed_if.so quiet user = $ACCOUNT # $MARK" -v mark=" # $MARK" '
    substr($0, length($0) - length(mark) + 1) == mark { next }
    !done && $0 ~ adopts { print ours; done = 1 }
    { print }' "$pam" >"$new" || fail "$new could not be written"
  if cmp -s "$new" "$pam"; then rm -f "$new"; else
    mv -f "$new" "$pam" || fail "$pam could not be written"
    echo "changed $pam"
  fi
fi
if command -v restorecon >/dev/null 2>&1; then
  restorecon -R "$home/.ssh" /etc/ssh/authorized_keys.d "$sudoers" "$pam" >/dev/null 2>&1 || true
fi

grep -qxF "$KEY $MARK" "$home/.ssh/authorized_keys" || fail "$home/.ssh/authorized_keys lacks the key"
grep -qxF "$KEY $MARK" "/etc/ssh/authorized_keys.d/$ACCOUNT" || fail "/etc/ssh/authorized_keys.d lacks the key"
su -s /bin/sh "$ACCOUNT" -c 'sudo -n /bin/true' >/dev/null 2>&1 || fail "sudo without a password does not work for $ACCOUNT"

if [ -z "$DISK" ] || [ "$found" != "$DISK" ]; then  # a mark that is not recorded may come from the image
  [ ! -L "$folder" ] || fail "$folder is a symbolic link"
  install -d -m 0700 -o root -g root "$folder" || fail "$folder could not be created"
  new=$(mktemp "$folder/.disk-mark.XXXXXX") || fail "no temporary file could be created in $folder"
  od -An -v -N16 -tx1 /dev/urandom | tr -d ' \n' >"$new" && echo >>"$new" || fail "$new could not be written"
  mv -fT "$new" "$folder/disk-mark" || fail "$folder/disk-mark could not be written"
  echo "changed $folder/disk-mark"
fi
echo "marked $(read_mark)"
echo "account $entry"
echo "done"
"""


@dataclass(frozen=True)
class Answer:
    """The node's output. ``problem`` is empty if the script has checked on the node that account and key are in place."""

    host_keys: Keys
    mismatch: bool
    problem: str
    changed: tuple[str, ...] = ()
    found: str = ""
    """The disk mark before the script's changes; empty if there was none."""
    mark: str = ""
    """The disk mark after the script's changes."""


def node_script(operations: Operations, expected: Keys | None, mark: str = "") -> str:
    """The script for one node.

    :param expected: the accepted host keys; None if any host key is accepted.
    :param mark: the mark of the disk for which the keys are expected; empty if they are expected for any disk.
    """
    values = {
        "ACCOUNT": operations.user,
        "KEY": str(operations.key),
        "MARK": MARK,
        "EXPECTED": "".join(f"{key};" for key in expected or ()),
        "DISK": mark,
        "TYPES": ",".join(HOST_KEY_TYPES),
    }
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items()) + _SCRIPT


def parse_answer(text: str) -> Answer:
    lines = [line.strip() for line in lines_of(text) if line.strip()]

    def said(word: str) -> list[str]:
        return [line[len(word) + 1 :] for line in lines if line.startswith(f"{word} ")]

    keys = parse_keys(said("hostkey"))
    found, mark = (next(map(checked_mark, said(word)), "") for word in ("mark", "marked"))
    problem = ""
    if said("error"):
        problem = printable(said("error")[0])
    elif not said("mismatch") and not (keys and mark and "done" in lines):
        problem = "the script did not finish: " + (printable(lines[-1]) if lines else "no output")
    changed = tuple(map(printable, said("changed")))
    return Answer(keys, bool(said("mismatch")), problem, changed, found, mark)
