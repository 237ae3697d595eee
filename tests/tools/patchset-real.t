#!/bin/sh
# patchset check on real releases.  What it must say was found by reading the
# releases' sources; a release that no origin gives is skipped with the reason.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
tree=$PWD
patchset=$tree/src/patchset
cd "$work" || exit 1
mkdir -p local dist/upstream
for f in "$tree"/dist/upstream/*; do [ ! -f "$f" ] || ln -s "$f" local/; done

release() { # release PIN: its tarball is in dist/upstream, unless no origin answers
	run env PATCHSET_DISTDIR="$work/local" sh "$top/build-aux/fetch" "$1"
	case $rc in
	0) ;;
	3) printf '%s\n' "$out" | sed 's/^/# /' ;;
	*) result 1 "fetch $1" "$out" ;;
	esac
}
other() { # other PACKAGE VERSION ORIGIN: a release without a pin here
	cat >"$1-$2.pin" <<EOF
Package: $1
Version: $2
Debian-Revision: 0
Patchset: 1
Date: Tue, 01 Dec 2026 00:00:00 +0000
Origin: $3
EOF
	release "$1-$2.pin"
}
for pin in ruby-3.4 ruby-3.3 puma-6.6 puma-5.6; do
	release "$top/upstream/$pin.pin"
done

# judged FILE SERIES CODE VERDICT NAME: one check; its hunks are in $out.
judged() {
	file=$(echo dist/upstream/$1)
	[ -f "$file" ] || { skip "$5" "no origin gave $1"; return 1; }
	run "$patchset" -C "$top" check "$file" "$2"
	is "$rc:$(printf '%s\n' "$out" | sed -n 's/^[a-z].* on .*: \([a-z ]*\)$/\1/p')" "$3:$4" "$5: $4, exit code $3"
}
# The hunks of patches 0002 and 0003 of Puma's series, which are clean on each release.
parser=",http11_parser.c#1 clean,http11_parser.c#2 clean,http11_parser.c#3 clean,http11_parser.h#1 clean,http11_parser.h#2 clean,http11_parser.rl#1 clean,http11_parser.c#1 clean,http11_parser.c#2 clean,http11_parser.h#1 clean,http11_parser.rl#1 clean,http11_parser.rl#2 clean"
# hunks TEXT NAME: "FILE#N VERDICT" of each, joined.
hunks() {
	is "$(printf '%s\n' "$out" | awk -F '  +' '/^    [^ ]*#/ { sub(".*/", "", $2); print $2, $3 }' | paste -sd, )" "$1" "$2"
}

judged 'ruby*3.4.5*.tar.*' ruby/3.3 10 fuzz "ruby 3.3's series on 3.4.5" &&
	hunks "string.c#1 offset 170,string.c#2 fuzz 2,thread.c#1 offset 27,thread.c#2 offset 57,string.c#1 offset 170,string.c#2 offset 170,string.c#1 offset 132,string.c#1 fuzz 1,string.c#2 fuzz 2,string.c#1 fuzz 1" "3.4 has RUBY_ASSERT for assert in the second one's context"
judged 'ruby*3.3.8*.tar.*' ruby/3.4 10 fuzz "ruby 3.4's series on 3.3.8" &&
	hunks "string.c#1 offset -170,string.c#2 fuzz 2,thread.c#1 offset -27,thread.c#2 offset -57,string.c#1 offset -170,string.c#2 offset -170,string.c#1 offset -132,string.c#1 fuzz 1,string.c#2 fuzz 2,string.c#1 fuzz 1" "the same the other way"
judged 'puma*5.6.5*.tar.gz' puma/6.6 10 offset "puma 6.6's series on 5.6.5" &&
	hunks "extconf.rb#1 offset -10,puma_http11.c#1 clean,puma_http11.c#2 clean,puma_http11.c#3 clean,puma_http11.c#4 offset -8,puma_http11.c#5 offset -8,puma_http11.c#6 offset -8$parser,puma_http11.c#1 offset -8,puma_http11.c#2 offset -8,puma_http11.c#3 offset -8,puma_http11.c#4 offset -8,puma_http11.c#1 offset -8,puma_http11.c#2 offset -8,puma_http11.c#3 offset -11,extconf.rb#1 clean,http11_parser.h#1 clean,puma_http11.c#1 offset -8,puma_http11.c#2 offset -8,puma_http11.c#3 offset -8,puma_http11.c#4 offset -8,puma_http11.c#5 offset -11" "HTTP_VERSION for SERVER_PROTOCOL is not in its way"
for pin in ruby-3.4 ruby-3.3 puma-6.6 puma-5.6; do
	version=$(sed -n 's/^Version: //p' "$top/upstream/$pin.pin")
	judged "${pin%-*}*$version*.tar.*" "${pin%-*}/${pin#*-}" 0 clean "$pin's series on its own release"
done

other ruby 3.1.2 "debian ruby3.1=3.1.2-7+deb12u1 bookworm ruby3.1_3.1.2.orig.tar.xz 350013ef6640f15c42eae48d25c035999dcbb32e4be038d27ad891cb48d685a5"
judged ruby3.1_3.1.2.orig.tar.xz ruby/3.3 13 "not applicable" "ruby 3.3's series on 3.1.2" && {
	like "$out" "string.c#1 *not applicable *str_subseq, which it changes, is not in string.c" "strings have no variable-width slots there, and no str_subseq()"
	like "$out" "thread.c#1 *not applicable *thread_io_wake_pending_closer, which it changes, is not in thread.c" "nor is there a closer to wake"
}

gem() { other puma "$1" "gem puma $1 $2"; }
gem 7.0.3 131b5fd02c89c2445114cdce906114e75ea4cf22842fcf5bbee4500f1c868ba5
judged puma-7.0.3.gem puma/6.6 10 fuzz "puma 6.6's series on 7.0.3" &&
	hunks "extconf.rb#1 fuzz 1,puma_http11.c#1 clean,puma_http11.c#2 clean,puma_http11.c#3 clean,puma_http11.c#4 clean,puma_http11.c#5 clean,puma_http11.c#6 clean$parser,puma_http11.c#1 clean,puma_http11.c#2 clean,puma_http11.c#3 clean,puma_http11.c#4 clean,puma_http11.c#1 clean,puma_http11.c#2 clean,puma_http11.c#3 clean,extconf.rb#1 clean,http11_parser.h#1 clean,puma_http11.c#1 clean,puma_http11.c#2 clean,puma_http11.c#3 clean,puma_http11.c#4 clean,puma_http11.c#5 clean" "nothing of it is merged"
gem 7.0.4 b4c6ae11d1458052eeaa415176c3bf0000f4232287f413525ab2504446154b7a
judged puma-7.0.4.gem puma/6.6 12 conflict "puma 6.6's series on 7.0.4" && {
	like "$out" "^  0001-intern-env-keys.patch *partly merged\$" "its first patch is merged in part"
	hunks "extconf.rb#1 fuzz 1,puma_http11.c#1 merged,puma_http11.c#2 offset 1,puma_http11.c#3 near merge,puma_http11.c#4 partly merged,puma_http11.c#5 offset 8,puma_http11.c#6 fuzz 1$parser,puma_http11.c#1 offset 3,puma_http11.c#2 offset 3,puma_http11.c#3 offset 3,puma_http11.c#4 fuzz 2,puma_http11.c#1 fuzz 1,puma_http11.c#2 conflict,puma_http11.c#3 offset 7,extconf.rb#1 clean,http11_parser.h#1 clean,puma_http11.c#1 fuzz 1,puma_http11.c#2 fuzz 1,puma_http11.c#3 offset -11,puma_http11.c#4 offset -11,puma_http11.c#5 offset -11" "the globals are merged, the common fields and unknown names not"
	like "$out" "| static inline void DEF_GLOBAL(VALUE \\*var, const char \\*cstr)" "upstream's DEF_GLOBAL stands beside ours"
}
gem 7.2.0 bf8ef4ab514a4e6d4554cb4326b2004eba5036ae05cf765cfe51aba9706a72a8
gem 8.0.2 c8ed871dfbbe66448ea9ffd46692342d9804d4071522b52b5331b7b6e7b686fb
for version in 7.2.0 8.0.2; do
	judged puma-$version.gem puma/6.6 12 conflict "puma 6.6's series on $version" && {
		like "$out" "^  0001-intern-env-keys.patch *near merge\$" "its first patch is merged, in other words"
		hunks "extconf.rb#1 fuzz 1,puma_http11.c#1 merged,puma_http11.c#2 offset -12,puma_http11.c#3 near merge,puma_http11.c#4 near merge,puma_http11.c#5 offset -5,puma_http11.c#6 partly merged$parser,puma_http11.c#1 conflict,puma_http11.c#2 conflict,puma_http11.c#3 offset -10,puma_http11.c#4 fuzz 2,puma_http11.c#1 conflict,puma_http11.c#2 conflict,puma_http11.c#3 offset -2,extconf.rb#1 clean,http11_parser.h#1 clean,puma_http11.c#1 conflict,puma_http11.c#2 fuzz 1,puma_http11.c#3 conflict,puma_http11.c#4 fuzz 2,puma_http11.c#5 offset -20" "globals, common fields and unknown names; the table of common fields is indented otherwise there"
	}
done

judged puma-8.0.2.gem puma/8.0 0 clean "puma-8.0's series on its own release"
judged puma-7.2.0.gem puma/8.0 0 clean "puma 8.0's series on 7.2.0"

# rebase: the resulting trees are those of our own series for that release.
cp -R "$top/upstream" "$top/patches" . && mkdir -p repo && mv upstream patches repo/
rebased() { # rebased FILE SERIES PACKAGE OWN-SERIES: both series on FILE's tree
	file=$(echo dist/upstream/$1)
	[ -f "$file" ] || { skip "$2 rebased onto $1" "no origin gave $1"; return 1; }
	run "$patchset" -C repo rebase --as test "$file" "$2"
	show
	is "$rc" 0 "$2 rebased onto $1"
	for series in test "$4"; do
		rm -rf "tree-$series" && mkdir "tree-$series"
		sed -n 's,^+++ b/,*/,p' "repo/patches/$3/$4"/*.patch | sort -u >names
		tar -xf "$file" -C "tree-$series" --strip-components=1 --no-wildcards-match-slash --wildcards -T names
		(cd "tree-$series" && QUILT_PATCHES="$work/repo/patches/$3/$series" quilt --quiltrc "$top/patches/quiltrc" push -a --fuzz=0) >quilt.out 2>&1
		is "$?:$(grep -c -e offset -e fuzz quilt.out)" 0:0 "$2 rebased onto $1: quilt applies patches/$3/$series as it is"
	done
	is "$(diff -r -x .pc tree-test "tree-$4")" "" "$2 rebased onto $1: the tree is that of our own series"
	rm -rf repo/patches/"$3"/test repo/upstream/"$3"-test.pin
}
rebased 'ruby*3.4.5*.tar.*' ruby/3.3 ruby 3.4
rebased 'ruby*3.3.8*.tar.*' ruby/3.4 ruby 3.3
rebased 'puma*5.6.5*.tar.gz' puma/6.6 puma 5.6
rebased 'puma*6.6.0*.tar.gz' puma/5.6 puma 6.6
if [ -f dist/upstream/puma-7.0.3.gem ]; then
	run "$patchset" -C repo rebase dist/upstream/puma-7.0.3.gem
	is "$rc:$(sed -n 's/^Origin: //p' repo/upstream/puma-7.0.pin)" "0:gem puma 7.0.3 131b5fd02c89c2445114cdce906114e75ea4cf22842fcf5bbee4500f1c868ba5" "puma 6.6 rebased onto 7.0.3, with the gem as its origin"
	unpack dist/upstream/puma-7.0.3.gem gem
	(cd gem && QUILT_PATCHES="$work/repo/patches/puma/7.0" quilt --quiltrc "$top/patches/quiltrc" push -a --fuzz=0) >quilt.out 2>&1
	is "$?:$(grep -c -e offset -e fuzz quilt.out)" 0:0 "quilt applies it as it is"
	for version in 7.0.4 8.0.2; do
		run "$patchset" -C repo rebase --as test dist/upstream/puma-$version.gem puma/6.6
		is "$rc:$(ls -d repo/patches/puma/test 2>/dev/null)" "11:" "onto $version it needs a hand: nothing is dropped by itself"
		run "$patchset" -C repo rebase --abort
	done
else skip "puma 6.6 rebased onto 7.0.3" "no origin gave it"; fi

# overlay, onto the revision that the archive has now.
source_of() { # source_of PACKAGE SUITE: its source package lies in dsc/
	command -v apt-get >/dev/null && command -v dpkg-source >/dev/null || { out="no apt-get or dpkg-source here"; return 1; }
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
	[ -n "$uri" ] || { out="apt knows no Debian archive"; return 1; }
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -f $key ] && signed="[signed-by=$key]" || signed=
	rm -rf apt dsc && mkdir -p apt/lists/partial apt/cache/archives/partial dsc
	echo "deb-src $signed $uri $2 main" >apt/sources.list
	cat >apt/conf <<EOF
Dir::State "$work/apt"; Dir::Cache "$work/apt/cache"; Acquire::Languages "none"; Acquire::Check-Valid-Until "false";
Dir::Etc::sourcelist "$work/apt/sources.list"; Dir::Etc::sourceparts "/dev/null"; APT::Sandbox::User "root"; Acquire::http::Timeout "30";
EOF
	run sh -c 'export APT_CONFIG="$1" && apt-get -qq update && cd dsc && apt-get -qq source --download-only "$2"' sh "$work/apt/conf" "$1"
	out=$(printf '%s\n' "$out" | tail -n 1)
	[ -n "$(ls dsc/*.dsc 2>/dev/null)" ]
}
# With the releases' own tarballs at hand: another test may be fetching those of
# the checkout just now.
ln -s ../dist repo/dist
for source in puma:bookworm:puma/5.6 ruby3.3:trixie:ruby/3.3; do
	name=${source%%:*} series=${source##*:}
	source_of "$name" "$(echo "$source" | cut -d : -f 2)" || { skip "overlay onto Debian's $name" "$out"; continue; }
	dsc=$(echo dsc/*.dsc) && theirs=$(sed -n 's/^Version: //p' "$dsc")
	rm -rf out && mkdir out && cd out || exit 1
	run "$patchset" -C "$work/repo" overlay "../$dsc" "$series"
	show
	is "$rc" 0 "overlay onto Debian's $name $theirs"
	new=$(ls ./*.dsc)
	is "$(sed -n 's/^Version: //p' "$new")" "$theirs+0patchset1" "its version"
	dpkg-source -x "$new" tree >/dev/null 2>&1
	is "$?" 0 "dpkg-source unpacks it"
	is "$(tail -n "$(grep -c . "$top/patches/$series/series")" tree/debian/patches/series)" "$(cat "$top/patches/$series/series")" "the series comes last"
	for turn in 1 2; do
		mkdir b$turn && cp ./*.orig.tar.* b$turn/ && (cd b$turn && dpkg-source -b ../tree >/dev/null 2>&1)
	done
	is "$(cd b1 && sha256sum ./*)" "$(cd b2 && sha256sum ./*)" "dpkg-source -b twice gives the same"
	cd "$work" || exit 1
done
finish
