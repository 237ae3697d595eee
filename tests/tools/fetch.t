#!/bin/sh
# fetch: origins, hashes, interruptions.  The network clients are stand-ins
# first in PATH, which tell what they were asked for.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
fetch=$top/build-aux/fetch
cd "$work" || exit 1
mkdir -p bin local
printf 'tarball of upstream\n' >good.tar.gz
printf 'tarball as Debian repacks it\n' >debian.tar.xz
hash_of() { sha256sum "$1" | cut -d ' ' -f 1; }
up=$(hash_of good.tar.gz) deb=$(hash_of debian.tar.xz)
cat >thing.pin <<EOF
Package: thing
Version: 1.0
Debian-Revision: 1
Patchset: 1
Date: Tue, 01 Dec 2026 00:00:00 +0000
Canonical: upstream
Origin: debian thing=1.0-1 trixie thing_1.0.orig.tar.xz $deb
Origin: upstream https://upstream.invalid/thing-1.0.tar.gz $up
EOF
# curl: serves $CURL_FILE, or is out of reach.
cat >bin/curl <<'EOF'
#!/bin/sh
echo curl >>"$ASKED"
[ -n "${CURL_FILE-}" ] || { echo "curl: (28) connection timed out" >&2; exit 28; }
while [ $# -gt 0 ]; do [ "$1" != -o ] || out=$2; shift; done
cp "$CURL_FILE" "$out"
[ -z "${CURL_HANG-}" ] || sleep 60
EOF
cat >bin/apt-get <<'EOF'
#!/bin/sh
echo "apt-get $*" >>"$ASKED"
case "$*" in
indextargets*) echo http://archive.invalid/debian ;;
*source*) [ -n "${APT_FILE-}" ] || { echo "E: Unable to find a source package" >&2; exit 100; }; cp "$APT_FILE" thing_1.0.orig.tar.xz ;;
esac
EOF
chmod +x bin/*
export PATH="$work/bin:$PATH" ASKED="$work/asked"
fresh() { rm -rf dist asked; : >asked; }

fresh; run env CURL_FILE="$work/good.tar.gz" sh "$fetch" thing.pin
is "$rc" 0 "a good upstream tarball is taken"
is "$(hash_of dist/upstream/thing-1.0.tar.gz)" "$up" "it is the file that was served"
is "$(cat asked)" curl "only the canonical origin was asked, though the pin names it last"
: >asked; run sh "$fetch" thing.pin
is "$rc:$out:$(cat asked)" "0::" "a second run is silent and asks nobody"

fresh; run env APT_FILE="$work/debian.tar.xz" sh "$fetch" thing.pin
is "$rc" 0 "upstream out of reach: Debian's source package is taken"
is "$(hash_of dist/upstream/thing_1.0.orig.tar.xz)" "$deb" "it has the hash of that origin"
like "$out" "upstream did not give thing-1.0.tar.gz: curl: (28)" "the unreachable origin is named with its reason"

fresh; run sh "$fetch" thing.pin
is "$rc" 3 "all origins out of reach: exit code 3"
like "$out" "no origin answered.*--with-distdir=FOLDER: thing-1.0.tar.gz thing_1.0.orig.tar.xz" "it says which files would do"
is "$(find dist/upstream -type f)" "" "nothing is left behind"

for kind in wrong short; do
	case $kind in wrong) echo other >served ;; short) head -c 9 good.tar.gz >served ;; esac
	fresh; run env CURL_FILE="$work/served" sh "$fetch" thing.pin
	is "$rc" 3 "a $kind tarball from the network: exit code 3"
	like "$out" "thing-1.0.tar.gz.*SHA-256 is $(hash_of served).*the pin says $up" "file, actual and expected value are said"
	is "$(find dist/upstream -type f)" "" "and the file is gone"
	cp served local/thing-1.0.tar.gz
	fresh; run env PATCHSET_DISTDIR="$work/local" sh "$fetch" thing.pin
	is "$rc" 3 "a $kind tarball in the local folder: exit code 3"
	one_line "said"
	is "$(find dist/upstream -type f):$(cat asked)" ":" "not copied, and no other origin is asked in its place"
	fresh; mkdir -p dist/upstream; cp served dist/upstream/thing-1.0.tar.gz
	run sh "$fetch" thing.pin
	is "$rc" 3 "a $kind tarball in dist/upstream: exit code 3"
	is "$(find dist/upstream -type f)" dist/upstream/thing-1.0.tar.gz.bad "it does not keep its final name"
	rm -f local/*
done

cp good.tar.gz local/thing-1.0.tar.gz
fresh; run env PATCHSET_DISTDIR="$work/local" sh "$fetch" thing.pin
is "$rc:$(cat asked)" "0:" "a good tarball in the local folder: nobody is asked"
rm -f local/*

# Ctrl-C while the download runs: the process group gets SIGINT.
fresh
CURL_HANG=1 CURL_FILE="$work/good.tar.gz" env --default-signal=INT setsid sh "$fetch" thing.pin >out 2>&1 &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do grep -q curl asked && break; sleep 0.3; done
run sh "$fetch" thing.pin
is "$rc" 6 "a second run in the same folder: exit code 6"
like "$out" "another run is going in $work" "it says so"
one_line "said"
env kill -INT -- "-$pid"; wait "$pid"
sleep 0.5
is "$(find dist/upstream -mindepth 1)" "" "Ctrl-C leaves nothing half made"
run env CURL_FILE="$work/good.tar.gz" sh "$fetch" thing.pin
is "$rc" 0 "and the next run completes"

run sh "$fetch"; is "$rc" 2 "no pin: exit code 2"
run sh "$fetch" absent.pin; is "$rc" 2 "a missing pin: exit code 2"

if mkdir -p full && mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
	head -c 200000 /dev/urandom >local/big.tar.gz
	sed -e "s/thing-1.0.tar.gz .*/big.tar.gz $(hash_of local/big.tar.gz)/" thing.pin >big.pin
	run sh -c 'cd full && PATCHSET_DISTDIR=../local sh "$1" ../big.pin' sh "$fetch"
	is "$rc" 1 "a full disk: exit code 1"
	is "$(find full -name 'big*')" "" "and no part of the file"
	umount full
else
	skip "a full disk" "cannot mount here"
fi
finish
