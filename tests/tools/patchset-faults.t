#!/bin/sh
# patchset while its calls for memory and files fail, each one in turn: it ends
# with one clear line and a documented exit code, what it would have changed is
# as it was, and nothing leaks; or the failure made no difference.  EVERY=1 takes
# each call of overlay too, which runs other programs each time.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 1
# shellcheck source=tests/tools/patchset-repo.sh
. "$top/tests/tools/patchset-repo.sh"
export SOURCE_DATE_EPOCH=1796126400 # Tue, 01 Dec 2026 12:00:00 UTC
fail_c=$top/tests/faults/fail.c
wrapped=$(sed -n 's/^WRAP([^,]*, \([a-z_A-Z0-9]*\),.*/\1/p; s/^OPEN(\([a-z]*\),.*/\1/p' "$fail_c")
# shellcheck disable=SC2046,SC2086 # lists
run gcc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover -DVERSION='"0"' -DPKGDATADIR='"/nowhere"' -o patchset \
	"$top"/src/*.c "$fail_c" $(printf -- '-Wl,--wrap=%s ' $wrapped) $(pkg-config --cflags --libs libarchive libgit2 jansson libcrypto)
is "$rc" 0 "patchset with calls that fail, and with sanitizers"; show

# Two patches; the second is moved in 2.0 and merged three ways in 3.0.
mkdir old && lines >old/thing.c && pack_old
cp -R old ours
step 10 's/^line 10 .*/changed 10/'
step 30 's/^line 30 .*/changed 30/'
release 2.0 '/^line 20 /a\
added'
release 3.0 's/^line 28 .*/28/; s/^line 32 .*/32/'
release 4.0 's/^line 29 .*/29/'
mkdir clean && mv repo clean/

# A source package of theirs, packed and unpacked, and a spec.
theirs '2i\
inserted'
dpkg-source -x theirs/thing_1.0-3+deb12u1.dsc theirs/tree >/dev/null 2>&1
mkdir spec && cp dist/thing-1.0.tar.gz spec/
printf 'Name: thing\nVersion: 1.0\nRelease: 1\nSummary: thing\nLicense: MIT\nSource0: thing-1.0.tar.gz\n%%description\nthing\n%%prep\n%%autosetup -p1\n%%changelog\n* Sun Nov 01 2026 B <b@b.invalid> - 1.0-1\n- New.\n' >spec/thing.spec

# What a run left, times and the bytes of archives apart, which no call here decides.
left() { (cd at && find . -type f ! -name '*.dsc' -exec sha256sum {} + | sort -k 2; find . -type d ! -empty | sort; find . -name '*.dsc'); }
fresh() { rm -rf at && mkdir at && cp -a clean/repo at/repo && cp -a theirs spec at/ && mkdir at/here; }
# once N ARGUMENT...: the run whose call N fails; $rc, what it said, what it left.
once() {
	n=$1; shift
	fresh
	rc=0
	(cd at/here && ASAN_OPTIONS=detect_leaks=$((n == 0)) FAIL_AT=$n FAIL_NOTE="$work/note" "$work/patchset" -C ../repo "$@" >"$work/out" 2>"$work/err") || rc=$?
	sed -i "s/^Date: .*//" out
}
# tortured STEP ARGUMENT...: each STEPth call.
tortured() {
	step=$1; shift
	fresh; left >untouched
	once 0 "$@"
	calls=$(cut -d ' ' -f 1 note) usual=$rc
	is "$(cat err)" "" "$1${2:+ $2}${3:+ $3} leaks nothing"
	cp out usual.out; left >usual.left
	: >faults; n=1 told=0
	while [ "$n" -le "$calls" ]; do
		once "$n" "$@"
		left >now
		why=
		case $rc in
		"$usual")
			cmp -s out usual.out || why="$why; says something else"
			cmp -s now usual.left || why="$why; leaves something else"
			[ ! -s err ] || why="$why; complains" ;;
		1 | 2)
			told=$((told + 1))
			[ "$(wc -l <err)" = 1 ] && grep -q '^patchset: .' err || why="$why; not one line"
			cmp -s now untouched || cmp -s now usual.left || why="$why; leaves something half done" ;;
		*) why="; exit code $rc" ;;
		esac
		[ -z "$why" ] || echo "call $n, $(cut -d ' ' -f 2 note)$why: $(grep -m 1 -e ERROR -e patchset: err)" >>faults
		n=$((n + step))
	done
	is "$(cat faults)" "" "$1${2:+ $2}${3:+ $3}: each call that fails is told of, or makes no difference"
	is "$([ "$told" -gt $((calls / step / 4)) ] && echo many)" many "of $calls calls, every $step. taken, more than a quarter are told of"
	echo "# $told told of"
}
tortured 1 status
tortured 1 check ../../thing-3.0.tar.gz
tortured 1 check --json ../../thing-2.0.tar.gz
tortured 1 rebase ../../thing-2.0.tar.gz
tortured 1 rebase ../../thing-3.0.tar.gz
tortured 1 rebase ../../thing-4.0.tar.gz
tortured 1 export thing/1
tortured "${EVERY-7}" overlay ../theirs/thing_1.0-3+deb12u1.dsc
tortured "${EVERY-7}" overlay ../theirs/tree
tortured "${EVERY-7}" overlay ../spec
finish
