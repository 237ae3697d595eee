#!/bin/sh
# The series of each pin on upstream's own source: they apply at fuzz 0 and
# without offset, refresh gives back the same bytes, and what cannot apply is
# said in one line.  Tarballs come from dist/upstream or --with-distdir.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
tree=$PWD
tarball() { # tarball PIN: fetched like a build does it
	(cd "$tree" && sh "$top/build-aux/fetch" "$1" >/dev/null 2>"$work/err") || return 1
	for f in $(sed -n 's/^Origin: upstream .*\/\([^ ]*\) .*/\1/p; s/^Origin: debian [^ ]* [^ ]* \([^ ]*\) .*/\1/p
		s/^Origin: gem \([^ ]*\) \([^ ]*\) .*/\1-\2.gem/p' "$1"); do
		[ ! -f "$tree/dist/upstream/$f" ] || { echo "$tree/dist/upstream/$f"; return 0; }
	done
}
q() { quilt --quiltrc "$top/patches/quiltrc" "$@"; }

for pin in "$top"/upstream/*-*.pin; do
	series=$(sed -n 's/^Series: //p' "$pin") package=$(sed -n 's/^Package: //p' "$pin")
	[ -n "$series" ] || continue
	name=$package/$series
	file=$(tarball "$pin") || { result 1 "$name: tarball" "$(tail -n 1 "$work/err")"; continue; }
	mkdir -p "$work/$name/patches"
	unpack "$file" "$work/$name/tree"
	cp "$top/patches/$name"/* "$work/$name/patches/"
	cd "$work/$name/tree" || exit 1
	export QUILT_PATCHES="$work/$name/patches"
	run q push -a --fuzz=0
	is "$rc" 0 "$name: push -a at fuzz 0"
	is "$(printf '%s\n' "$out" | grep -c -e offset -e fuzz)" 0 "$name: no hunk has an offset"
	run q push -a --fuzz=0
	is "$rc" 2 "$name: a second push finds all applied"
	run q pop -a
	is "$rc" 0 "$name: pop -a"
	unpack "$file" "$work/$name/pristine"
	is "$(diff -rq --exclude=.pc . ../pristine 2>&1)" "" "$name: after pop -a the tree is upstream's"
	# One by one, since only the topmost can be refreshed where two change a file.
	while q push --fuzz=0 >/dev/null 2>&1; do q refresh >/dev/null || echo refused >>../patches/series; done
	is "$(diff -r ../patches "$top/patches/$name")" "" "$name: refresh gives the same bytes"
	missing=
	for patch in "$top/patches/$name"/*.patch; do
		for field in Description Author Forwarded Last-Update; do
			grep -q "^$field: ." "$patch" || missing="$missing${patch##*/}: $field; "
		done
	done
	is "$missing" "" "$name: each patch has its DEP-3 fields"
	cd "$work" && rm -rf "${work:?}/$name"
done

# Source packages take a minute, where their build takes half an hour: what a
# template or a spec lacks is seen here.
for pin in "$top"/upstream/*-*.pin; do
	name=$(basename "$pin" .pin)
	case $name in ruby-*) ruby=${name#ruby-} ;; *) ruby=3.4 ;; esac
	distdir=$(dirname "$(tarball "$pin")")
	mkdir -p "$work/source/dist/stamps" && cd "$work/source" || exit 1
	for format in dsc srpm; do
		run env PATCHSET_RUBY="$ruby" PATCHSET_DISTDIR="$distdir" sh "$top/build-aux/$format" "$pin" dist/stamps/s
		is "$rc" 0 "$name: $format"
		show
	done
	mkdir spec debian
	for file in dist/rpm/*.src.rpm; do rpm2cpio "$file" | (cd spec && cpio -idm --quiet '*.spec'); done
	tar -xf dist/deb/*.debian.tar.xz -C debian debian --exclude=debian/patches
	is "$(grep -rnE --exclude=tidy '@[A-Z_]+@' spec debian | head -n 3)" "" "$name: no placeholder is left"
	run rpmspec -P spec/*.spec
	is "$rc:$(printf '%s\n' "$out" | grep -c '^Patch[0-9]*:')" "0:$(grep -c '^Patch[0-9]*:' spec/*.spec)" "$name: rpm reads the spec"
	cd "$work" && rm -rf source
done

# Faults in a series, on a tree of a few lines.
cd "$work" || exit 1
mkdir -p repo/upstream repo/patches/thing/1 thing-1.0
cp -R "$top/build-aux" repo/
cp "$top/patches/quiltrc" repo/patches/
printf 'one\ntwo\nthree\n' >thing-1.0/file
tar -czf thing-1.0.tar.gz thing-1.0
cat >repo/upstream/thing-1.pin <<EOF
Package: thing
Version: 1.0
Debian-Revision: 1
Patchset: 1
Series: 1
Date: Tue, 01 Dec 2026 00:00:00 +0000
Canonical: upstream
Origin: upstream https://upstream.invalid/thing-1.0.tar.gz $(sha256sum thing-1.0.tar.gz | cut -d ' ' -f 1)
EOF
source_() { rm -rf dist source; mkdir -p dist/stamps; run env PATCHSET_DISTDIR="$work" sh repo/build-aux/source repo/upstream/thing-1.pin dist/stamps/source-s; out=$(printf '%s\n' "$out" | grep -v verified); }
series=repo/patches/thing/1
cat >$series/good.patch <<'EOF'
--- a/file
+++ b/file
@@ -1,3 +1,3 @@
 one
-two
+2
 three
EOF
sed 's/two/TWO/' $series/good.patch >$series/bad.patch
echo good.patch >$series/series
source_
is "$rc:$(tr '\n' ' ' <source/thing-1.0/file)" "0:one 2 three " "a good series applies"
printf 'good.patch\nbad.patch\n' >$series/series
source_
is "$rc" 4 "a patch that does not apply: exit code 4"
one_line "said"
like "$out" "bad.patch does not apply to thing 1.0: file: Hunk #1 FAILED" "patch, file and hunk are named"
is "$(find source dist/stamps -mindepth 1)" "" "no source tree and no stamp is left"
printf 'good.patch\nabsent.patch\n' >$series/series
source_
is "$rc" 4 "a missing patch file: exit code 4"
like "$out" "absent.patch is missing, but series names it" "it is named"
one_line "said"
echo 'no hunk in here' >$series/empty.patch
printf 'good.patch\nempty.patch\n' >$series/series
source_
is "$rc" 4 "a patch without a hunk, which quilt takes for applied: exit code 4"
one_line "said"
printf 'good.patch\r\n' >$series/series
source_
is "$rc" 4 "a series with CRLF line ends: exit code 4"
like "$out" "CRLF" "it says so"
one_line "said"
sed 's/$/\r/' $series/good.patch >$series/crlf.patch
echo crlf.patch >$series/series
source_
is "$rc" 4 "a patch with CRLF line ends: exit code 4"
like "$out" "crlf.patch has CRLF line ends" "it says so"
one_line "said"
head -n 5 $series/good.patch >$series/cut.patch
echo cut.patch >$series/series
source_
is "$rc" 4 "a patch cut short: exit code 4"
like "$out" "cut.patch does not apply to thing 1.0: .*\(malformed\|unexpected\)" "it says so"
one_line "said"
printf 'good.patch -p2\n' >$series/series
source_
is "$rc" 4 "options for quilt in a series, which no source package holds: exit code 4"
one_line "said"
printf 'good.patch\nbad.patch' >$series/series
source_
is "$rc" 4 "a last line without an end counts too"
like "$out" "bad.patch does not apply" "and its patch is tried"

# What is in the tree belongs to whoever changed it.
printf 'good.patch\n' >$series/series
source_
again() { run env PATCHSET_DISTDIR="$work" sh repo/build-aux/source repo/upstream/thing-1.pin dist/stamps/source-"$1"; out=$(printf '%s\n' "$out" | grep -v verified); }
again s
is "$rc" 0 "an untouched tree is made anew"
worked() { # worked NAME FILE COMMAND: somebody's work, whatever its date, stays
	rm -rf dist source; source_
	(cd source/thing-1.0 && eval "$3")
	cp -a source before
	again s
	is "$rc" 1 "$1: exit code 1"
	like "$out" "source/thing-1.0/$2 was changed" "the file is named"
	one_line "said"
	run sh repo/build-aux/clean
	is "$rc" 1 "nor does make clean remove it"
	is "$(diff -r before source)" "" "nothing is lost"
	rm -rf before
}
worked "an edit" file 'echo edit >>file'
worked "an edit with an old date" file 'echo edit >>file; touch -d 2001-01-01 file'
worked "a new file" new ': >new'
worked "a removed file" file 'rm file'
worked "a link in place of a file" file 'ln -sf /dev/null file'
rm dist/stamps/source-s
again s
is "$rc" 1 "a tree without a stamp: exit code 1"
like "$out" "source/thing-1.0 may hold somebody's work" "it says so"
one_line "said"
# An edit that was refreshed into its patch is not lost.
source_
sed -i 's/^+2/+zwei/' $series/good.patch
sed -i 's/^2/zwei/' source/thing-1.0/file
again s
is "$rc" 0 "an edit that the series has now is no obstacle"
again other
is "$rc:$(ls dist/stamps)" "0:source-other" "a stamp of other options for the same tree is void"
sed -i 's/^+zwei/+2/' $series/good.patch

# Faults in a pin.
pin=repo/upstream/thing-1.pin
cp $pin pin
bad_pin() { # bad_pin SED-SCRIPT NAME REGEXP
	sed "$1" pin >$pin
	source_
	is "$rc" 2 "$2: exit code 2"
	like "$out" "$3" "it says so"
	one_line "said"
}
bad_pin 's/^Date: .*/Date: yesterweek/' "no date" "Date is no date: yesterweek"
for version in "abc def" 1.0/2 v1.0; do bad_pin "s|^Version:.*|Version: $version|" "the version $version" "Version: $version is no version"; done
for field in Package Version Debian-Revision Patchset Date; do bad_pin "/^$field:/d" "no $field" "$field is missing"; done
bad_pin '/^Origin:/d' "no origin" "Origin is missing"
bad_pin 's/$/\r/' "CRLF in a pin" "CRLF"
cp pin $pin

# A package must not claim a series that is not there.
mkdir -p repo/debian/thing && : >repo/debian/thing/rules && : >repo/debian/gem.mk
for step in source dsc srpm; do
	rm -rf dist source; mkdir -p dist/stamps
	sed 's/^Series: .*/Series: 9/' pin >$pin
	run env PATCHSET_RUBY=3.4 PATCHSET_DISTDIR="$work" sh repo/build-aux/$step $pin dist/stamps/s
	is "$rc:$(find dist/stamps dist/deb dist/rpm -type f 2>/dev/null)" "4:" "$step of a missing series: exit code 4, and nothing is made"
	like "$out" "patches/thing/9/series is missing" "it is named"
done
cp pin $pin

# Fuzz would put this hunk in by ignoring its first context line.
printf 'good.patch\n' >$series/series
sed -i 's/^ one/ One/' $series/good.patch
source_
is "$rc" 4 "a hunk that only fuzz could place: exit code 4"
finish
