#!/bin/sh
# patchset rebase and export, on trees of a few lines: what is written is held
# against quilt, git am and trees made by hand.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
patchset=$PWD/src/patchset
cd "$work" || exit 1
# shellcheck source=tests/tools/patchset-repo.sh
. "$top/tests/tools/patchset-repo.sh"
export SOURCE_DATE_EPOCH=1796126400 # Tue, 01 Dec 2026 12:00:00 UTC

# old/: 40 lines.  Patch one changes line 10, two line 20, three adds a row.
mkdir old && lines >old/thing.c && pack_old
cp -R old ours
step one 's/^line 10 .*/TEN/'
step two 's/^line 20 .*/TWENTY/'
step three '/^line 30 /a\
added at 30'
cp repo/upstream/thing-1.pin pin.before
rebase() { run "$patchset" -C repo rebase "$@"; show; }
state() { (cd repo && find . -type f -exec sha256sum {} + | sort); }
pushed() { # pushed VERSION SERIES: the release with the series, by quilt
	rm -rf "q" && cp -R "thing-$1" q
	(cd q && QUILT_PATCHES="$work/repo/patches/thing/$2" quilt --quiltrc "$top/patches/quiltrc" push -a --fuzz=0) >quilt.out 2>&1
}
again() { rm -rf repo/patches/thing/[2-9]* repo/upstream/thing-[2-9]*; }

release 2.0 ''
rebase thing-2.0.tar.gz
is "$rc" 0 "onto an equal tree: exit code 0"
is "$(diff -r repo/patches/thing/1 repo/patches/thing/2.0)" "" "every patch stays byte for byte"
is "$(grep -v -e '^Origin' repo/upstream/thing-2.0.pin)" "Package: thing
Version: 2.0
Series: 2.0
Debian-Revision: 0
Patchset: 1
Date: Tue, 01 Dec 2026 12:00:00 +0000
Canonical: upstream" "the pin"
is "$(grep '^Origin' repo/upstream/thing-2.0.pin)" "Origin: upstream https://upstream.invalid/thing-2.0.tar.gz $(sha256sum thing-2.0.tar.gz | cut -d ' ' -f 1)" "its origin is the old one's for the new release, with the tarball's hash"
is "$(cat repo/upstream/thing-1.pin)" "$(cat pin.before)" "the old pin is as it was"
is "$(find . -name 'rebase-*'; find repo -name '.patchset*')" "" "no work folder and no temporary"
rebase thing-2.0.tar.gz thing/1
is "$rc" 2 "a second time: exit code 2"
like "$out" "series thing/2.0 is there already" "the series is not overwritten"
again

release 2.0 '1i\
new 1\
new 2'
rebase thing-2.0.tar.gz
is "$rc" 0 "everything moved: exit code 0"
pushed 2.0 2.0
is "$(grep -c -e offset -e fuzz -e FAILED quilt.out)" 0 "quilt sees no offset"
is "$(sed -n 's/^@@ \(-[0-9]*\).*/\1/p' repo/patches/thing/2.0/*.patch | paste -sd ' ')" "-9 -30 -19" "the headers of the hunks"
is "$(cat q/thing.c)" "$(printf 'new 1\nnew 2\n'; cat ours/thing.c)" "the tree is the expected one"
again

release 2.0 's/^line 9 .*/NINE/; s/^line 30 .*/& still/'
before=$(state)
rebase thing-2.0.tar.gz
is "$rc" 12 "upstream changed the next line: exit code 12"
like "$out" "one.patch: needs your hand" "the patch is named"
like "$(cat rebase-thing-2.0/files/thing.c)" "^<<<<<<< 2.0" "its file has markers"
is "$(state)" "$before" "the checkout is as it was"
rebase thing-2.0.tar.gz
is "$rc" 2 "another start beside it: exit code 2"
rebase --continue
is "$rc" 12 "--continue with markers left: exit code 12"
like "$out" "files/thing.c:[0-9]* still has a conflict marker" "where"
sed 's/^line 10 .*/TEN/' thing-2.0/thing.c >rebase-thing-2.0/files/thing.c
rebase --continue
like "$out" "three.patch: needs your hand" "then the third patch"
sed 's/^line 10 .*/TEN/; s/^line 20 .*/TWENTY/; /^line 30 /a\
added at 30' thing-2.0/thing.c >rebase-thing-2.0/files/thing.c
rebase --continue
is "$rc" 0 "all resolved: exit code 0"
pushed 2.0 2.0
is "$(grep -c -e offset -e fuzz -e FAILED quilt.out)" 0 "quilt applies the new series"
is "$(cat q/thing.c)" "$(sed 's/^line 10 .*/TEN/; s/^line 20 .*/TWENTY/; /^line 30 /a\
added at 30' thing-2.0/thing.c)" "to the tree that was made by hand"
is "$(sed '/^---/,$d' repo/patches/thing/2.0/one.patch)" "$(sed '/^---/,$d' repo/patches/thing/1/one.patch)" "the headers stay"
is "$(ls -d rebase-* 2>/dev/null)" "" "the work folder is gone"
again

release 2.0 's/^line 8 .*/EIGHT/; s/^line 12 .*/TWELVE/'
rebase thing-2.0.tar.gz
is "$rc" 0 "changes two lines away: merged three ways"
like "$out" "one.patch: merged three ways" "it says so"
pushed 2.0 2.0
is "$(sed -n '8p;10p;12p' q/thing.c | paste -sd ' ')" "EIGHT TEN TWELVE" "both changes are in"
again

release 2.0 's/^line 9 .*/NINE/'
before=$(state)
rebase thing-2.0.tar.gz
rebase --abort
is "$rc:$(state)" "0:$before" "--abort: the checkout is as before"
is "$(ls -d rebase-* 2>/dev/null)" "" "and the work folder is gone"

release 2.0 's/^line 20 .*/TWENTY/'
rebase thing-2.0.tar.gz
is "$rc" 0 "one patch is merged: exit code 0"
like "$out" "two.patch: merged in 2.0, dropped" "it is said"
is "$(grep -v '^#' repo/patches/thing/2.0/series | paste -sd ' ')" "one.patch three.patch" "it is out of series"
is "$(sed -n 's/^Applied-Upstream: //p' repo/patches/thing/2.0/two.patch)" 2.0 "and names the release"
pushed 2.0 2.0
is "$(cat q/thing.c)" "$(cat ours/thing.c)" "the tree is the same as with three"
again
release 2.0 's/^line 10 .*/TEN/; s/^line 20 .*/TWENTY/; /^line 33 /a\
added at 30'
rebase thing-2.0.tar.gz
is "$rc" 11 "all are merged, one of them to another place: exit code 11"
like "$out" "needs none; nothing was written" "it says so"
is "$(ls repo/patches/thing)" 1 "nothing is written"

release 2.0 's/^line 20 .*/TWENTY/; s/^line 9 .*/NINE/'
rebase thing-2.0.tar.gz
cp rebase-thing-2.0/upstream/thing.c rebase-thing-2.0/files/thing.c
rebase --continue
is "$rc:$(grep -v '^#' repo/patches/thing/2.0/series | paste -sd ' ')" "0:three.patch" "upstream's own file in its place drops the patch"
again

# In its own series, as for 1.1 after 1.0.
release 1.1 '1i\
new'
sed -i 's/^Series: 1/Series: 1.1/' repo/upstream/thing-1.pin && mv repo/upstream/thing-1.pin repo/upstream/thing-1.1.pin && mv repo/patches/thing/1 repo/patches/thing/1.1
rebase --as thing/1.1 thing-1.1.tar.gz
is "$rc:$(ls repo/patches/thing):$(sed -n 's/^Version: //p' repo/upstream/thing-1.1.pin)" "0:1.1:1.1" "a series is replaced by its next release"
pushed 1.1 1.1
is "$(cat q/thing.c)" "$(echo new; cat ours/thing.c)" "it applies"
is "$(find repo -name '.patchset*')" "" "no temporary is left"
# And onto the release that it is for: the next patchset of it.
cp thing-1.1.tar.gz dist/
sed -i 's/^Debian-Revision: .*/Debian-Revision: 4/' repo/upstream/thing-1.1.pin
rebase thing-1.1.tar.gz thing/1.1
is "$rc:$(grep -v ^Date repo/upstream/thing-1.1.pin)" "0:$(printf '%s\n' 'Package: thing' 'Version: 1.1' 'Series: 1.1' 'Debian-Revision: 4' 'Patchset: 2' 'Canonical: upstream' \
	"Origin: upstream https://upstream.invalid/thing-1.1.tar.gz $(sha256sum thing-1.1.tar.gz | cut -d ' ' -f 1)")" "the revision does not go back, the origins stay"
rm dist/thing-1.1.tar.gz

# Faults.
before=$(state)
bad() { # bad NAME PATTERN ARGUMENT...
	name=$1 pattern=$2; shift 2
	run "$patchset" -C repo rebase "$@"
	is "$rc" 2 "$name: exit code 2"
	like "$out" "$pattern" "$name: says what"
}
bad "a folder" "no tarball or gem" thing-1.1
bad "no value" "needs a value" --as
bad "no value" "needs a value" --old
bad "no rebase to go on with" "no rebase to go on" --continue
bad "a bad name" "no name for a series" --as ../evil thing-2.0.tar.gz
bad "two modes" "take the work folder alone" --continue --abort
mv dist/thing-1.0.tar.gz away.tar.gz
release 3.0 ''
bad "no old tarball" "no tarball of thing 1.1" thing-3.0.tar.gz
mv away.tar.gz dist/thing-1.0.tar.gz
is "$(state)" "$before" "and nothing is written by any"
cp thing-1.1.tar.gz dist/
if [ "$(id -u)" -ne 0 ]; then
	chmod a-w repo
	rebase thing-3.0.tar.gz
	chmod u+w repo
	is "$rc:$(state)" "1:$before" "a checkout that cannot be written: exit code 1, nothing changed"
else skip "a checkout that cannot be written" "root may write everywhere"; fi
# The pin cannot get its name: the series does not stay either.
mkdir repo/upstream/thing-3.0.pin.d repo/upstream/.hold && mkdir -p repo/upstream/thing-3.0.pin/x 2>/dev/null
run "$patchset" -C repo rebase thing-3.0.tar.gz
is "$([ "$rc" -ne 0 ] && ls repo/patches/thing)" 1.1 "a pin that cannot be written: no series either"
rm -rf repo/upstream/thing-3.0.pin repo/upstream/thing-3.0.pin.d repo/upstream/.hold

# Ctrl-C at many moments: all or nothing, and no temporary.
bad_states='' n=0
while [ $n -lt 12 ]; do
	again; before=$(state)
	env --default-signal=INT "$patchset" -C repo rebase thing-3.0.tar.gz >/dev/null 2>&1 & job=$!
	sleep 0.00$n; kill -INT $job 2>/dev/null; rc=0; wait $job || rc=$?
	case $rc in
	0) [ -f repo/patches/thing/3.0/series ] && [ -f repo/upstream/thing-3.0.pin ] || bad_states="$bad_states $n" ;;
	*) [ "$(state)" = "$before" ] || bad_states="$bad_states $n" ;;
	esac
	[ -z "$(find . -name 'rebase-*' -o -name '.patchset*')" ] || bad_states="$bad_states $n:temporary"
	n=$((n + 1))
done
is "$bad_states" "" "Ctrl-C: the whole result, or none"

# export.
again
run "$patchset" -C repo export thing/1.1
is "$rc" 0 "export"
printf '%s\n' "$out" >mbox
rm -rf g && cp -R thing-1.1 g
(cd g && git init -q . && git add . && git -c user.name=t -c user.email=t@t.invalid commit -qm 1 &&
	git -c user.name=t -c user.email=t@t.invalid am -q ../mbox) >am.out 2>&1
is "$(git -C g log --reverse --format='%s|%an|%ad' --date=iso-strict | sed 1d)" "one|A|2026-12-01T12:00:00+00:00
two|A|2026-12-01T12:00:00+00:00
three|A|2026-12-01T12:00:00+00:00" "git am takes them, with subject, author and date"
is "$(cat g/thing.c)" "$(cat q/thing.c)" "and gets the same tree as quilt"
is "$(git -C g log -1 --format=%b)" "second line

From here on --- nothing

Author: A <a@b.invalid>
Forwarded: no
Last-Update: 2026-12-01" "the message is whole"
run "$patchset" -C repo export thing/9
is "$rc" 2 "an unknown series: exit code 2"
for command in "status" "status --json" "export thing/1.1"; do
	# shellcheck disable=SC2086
	run sh -c '"$@" >/dev/full' sh "$patchset" -C repo $command
	is "$rc" 1 "$command onto a full disk: exit code 1"; one_line "said"
done
finish
