#!/bin/sh
# patchset overlay on a Debian source package and on a spec of a few lines: the
# results are unpacked, applied and compared by dpkg-source and rpmbuild.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
patchset=$PWD/src/patchset
cd "$work" || exit 1
# shellcheck source=tests/tools/patchset-repo.sh
. "$top/tests/tools/patchset-repo.sh"
mkdir old && lines >old/thing.c
cp -R old ours && sed -i 's/^line 20 .*/TWENTY/' ours/thing.c
series
{ printf 'Description: twenty\nAuthor: A <a@b.invalid>\nForwarded: no\nLast-Update: 2026-12-01\n'; cat repo/patches/thing/1/one.patch; } >p && mv p repo/patches/thing/1/one.patch
overlay() { run "$patchset" -C "$work/repo" overlay "$@"; show; }
sums() { (cd "$1" && find . -type f -exec sha256sum {} + | sort); }

theirs '2i\
inserted'
mkdir out && cd out || exit 1
before=$(sums ../theirs)
overlay ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc" 0 "onto a .dsc"
new=thing_1.0-3+deb12u1+0patchset1
is "$(ls | paste -sd ' ')" "$new.debian.tar.xz $new.dsc thing_1.0.orig.tar.gz" "a source package is written here, and nothing else"
is "$(sums ../theirs)" "$before" "theirs is as it was"
dpkg-source -x $new.dsc ../unpacked >/dev/null 2>../unpack.err
is "$?" 0 "dpkg-source unpacks it"
is "$(cat ../unpacked/debian/patches/series | paste -sd ' ')" "fix.patch one.patch" "ours comes after theirs"
is "$(cat ../unpacked/thing.c)" "$(sed '2i\
inserted
s/^line 20 .*/TWENTY/' ../old/thing.c)" "the tree has both changes"
is "$(cd ../unpacked && quilt pop -a >/dev/null 2>&1; QUILT_PATCHES=debian/patches quilt --quiltrc /dev/null push -a --fuzz=0 2>&1 | grep -c -e offset -e fuzz)" 0 "quilt sees no offset: it was refreshed"
is "$(cd ../unpacked && dpkg-parsechangelog -S Version):$(cd ../unpacked && dpkg-parsechangelog -S Distribution)" "1.0-3+deb12u1+0patchset1:bookworm-security" "the changelog's entry"
sorts() { dpkg --compare-versions "$1" lt "$2" && echo yes; }
is "$(sorts 1.0-3+deb12u1 1.0-3+deb12u1+0patchset1):$(sorts 1.0-3+deb12u1+0patchset1 1.0-3+deb12u2):$(sorts 1.0-3+deb12u1+0patchset1 1.0-3+deb12u1+b1)" yes:yes:yes "it sorts above theirs, below their next update and rebuild"
first=$(sums .)
overlay ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc:$(sums .)" "0:$first" "the second time nothing is done"
like "$out" "is here already; nothing done" "it says so"
overlay $new.dsc
is "$rc:$(sums .)" "0:$first" "nor on its own result"
like "$out" "has the series already; nothing done" "it says so"
mkdir ../out2 && cd ../out2 || exit 1
overlay ../theirs/thing_1.0-3+deb12u1.dsc
is "$(sums . | grep -v '\.dsc$')" "$(printf '%s\n' "$first" | grep -v '\.dsc$')" "elsewhere it gives the same bytes"
cd "$work" || exit 1

# In an unpacked tree.
dpkg-source -x theirs/thing_1.0-3+deb12u1.dsc tree >/dev/null 2>&1
overlay tree
is "$rc" 0 "onto an unpacked tree"
is "$(diff -r -x .pc tree unpacked)" "" "with the same result"
after=$(sums tree); overlay tree
is "$rc:$(sums tree)" "0:$after" "the second time nothing is done"
rm -rf tree && dpkg-source -x --skip-patches theirs/thing_1.0-3+deb12u1.dsc tree >/dev/null 2>&1
before=$(sums tree); overlay tree
is "$rc:$(sums tree)" "2:$before" "a tree without their patches: exit code 2, nothing changed"
like "$out" "fix.patch of debian/patches is not applied" "it says what to do"
theirs 's/^line 20 .*/TWENTY/'
rm -rf out3 && mkdir out3 && cd out3 || exit 1
overlay ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc:$(ls -A)" "11:" "theirs has the change: exit code 11, nothing written"
like "$out" "theirs has one.patch already (merged)" "it says so"
cd "$work" && theirs 's/^line 19 .*/NINETEEN/' && cd out3 || exit 1
overlay ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc:$(ls -A)" "12:" "theirs conflicts: exit code 12, nothing written"
rm -rf dist-away && mv ../dist dist-away
overlay ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc:$(ls -A)" "2:dist-away" "without the release that the series is for: exit code 2, nothing written"
like "$out" "no tarball of thing 1.0 in dist/upstream; sh build-aux/fetch .*thing-1.pin gets it, or name it with --old" "it says how to get it"
overlay --old dist-away/thing-1.0.tar.gz ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc" 12 "--old names it: the verdict is there again"
sed 1d ../old/thing.c >../thing.c && mkdir thing-0.9 && mv ../thing.c thing-0.9/ && tar -czf dist-away/thing-0.9.tar.gz thing-0.9 && rm -r thing-0.9
overlay --old dist-away/thing-0.9.tar.gz ../theirs/thing_1.0-3+deb12u1.dsc
is "$rc:$(ls -A)" "2:dist-away" "--old names another release: exit code 2"
like "$out" "thing-0.9.tar.gz is not the release that thing/1 was made for" "it says so"
mv dist-away ../dist
cd "$work" || exit 1
overlay repo
is "$rc:$out" "2:patchset: repo has no debian/changelog and no spec, so it is no source package" "a folder that is no source package: exit code 2"
overlay /
is "$rc:$out" "2:patchset: / has no debian/changelog and no spec, so it is no source package" "nor is /, of which no copy is begun"
for bytes in 0 400; do
	head -c $bytes theirs/thing_1.0-3+deb12u1.dsc >theirs/cut.dsc; overlay theirs/cut.dsc
	like "$rc:$out" "^2:patchset: dpkg-source -x failed: .*; nothing was changed" "$bytes bytes of a .dsc: exit code 2"
done

# A spec.
spec() { # spec PREP-LINE...: in sources/
	rm -rf sources && mkdir sources && cp dist/thing-1.0.tar.gz sources/
	printf 'one\n' >pa && printf 'one\n1\n' >pb
	sed 's/^line 1 .*/FIRST/' old/thing.c >first.c
	diff -u --label a/thing.c --label b/thing.c old/thing.c first.c >sources/first.patch
	{
		printf 'Name: thing\nVersion: 1.0\nRelease: 1%%{?dist}\nSummary: Thing\nLicense: MIT\nSource0: thing-1.0.tar.gz\n%sBuildArch: noarch\n\n%%description\nThing.\n\n%%prep\n' "${patch_tag-}"
		printf '%s\n' "$@"
		printf '\n%%build\n\n%%install\n\n%%files\n\n%%changelog\n* Sun Nov 01 2026 B <b@b.invalid> - 1.0-1\n- First\n'
	} >sources/thing.spec
}
prepared() { # the file after %prep
	rm -rf top && rpmbuild -bp --nodeps --define "_topdir $work/top" --define "_sourcedir $work/sources" sources/thing.spec >rpm.out 2>&1
	cat top/BUILD/thing-1.0*/thing.c 2>/dev/null || find top -name thing.c -exec cat {} +
}
if command -v rpmbuild >/dev/null; then
	patch_tag='Patch0: first.patch
'
	spec '%autosetup -p1'; overlay sources
	is "$rc" 0 "onto a folder with a spec, %autosetup"
	is "$(prepared)" "$(sed 's/^line 1 .*/FIRST/; s/^line 20 .*/TWENTY/' old/thing.c)" "%prep gives the tree with both changes"
	is "$(grep '^Patch' sources/thing.spec | paste -sd ' ')" "Patch0: first.patch Patch1: one.patch" "a PatchN line after theirs"
	is "$(sed -n 's/^Release: //p' sources/thing.spec)" "1.0.patchset1%{?dist}" "the release sorts above 1 and below 1.1"
	is "$(sed -n '/^%changelog/{n;p}' sources/thing.spec)" "* Tue Dec 01 2026 A <a@b.invalid> - 1.0-1.0.patchset1" "the changelog's entry"
	after=$(sums sources); overlay sources
	is "$rc:$(sums sources)" "0:$after" "the second time nothing is done"
	spec '%setup -q' '%patch -P 0 -p1'; overlay sources
	is "$rc:$(prepared)" "0:$(sed 's/^line 1 .*/FIRST/; s/^line 20 .*/TWENTY/' old/thing.c)" "%setup and %patch"
	spec '%setup -q' '%patch -P 0 -p1'
	rpmbuild -bs --nodeps --define "_topdir $work/top" --define "_sourcedir $work/sources" --define "_srcrpmdir $work/srpm" sources/thing.spec >/dev/null 2>&1
	rm -rf out4 && mkdir out4 && cd out4 || exit 1
	overlay ../srpm/thing-1.0-1.src.rpm
	is "$rc:$(ls)" "0:thing-1.0-1.0.patchset1.src.rpm" "onto a source rpm"
	is "$(rpm -qpl thing-1.0-1.0.patchset1.src.rpm 2>/dev/null | sort | paste -sd ' ')" "first.patch one.patch thing-1.0.tar.gz thing.spec" "it holds the patch"
	overlay ../srpm/thing-1.0-1.src.rpm
	like "$rc:$out" "^0:.*here already; nothing done" "the second time nothing is done"
	overlay thing-1.0-1.0.patchset1.src.rpm
	like "$rc:$out" "^0:.*has the series already; nothing done" "nor on its own result"
	for bytes in 0 200 $(($(stat -c %s ../srpm/thing-1.0-1.src.rpm) - 300)); do
		head -c "$bytes" ../srpm/thing-1.0-1.src.rpm >../cut.src.rpm; overlay ../cut.src.rpm
		like "$rc:$out" "^2:patchset: cannot read .*cut.src.rpm: " "$bytes bytes of a source rpm: exit code 2"
	done
	cd "$work" || exit 1
	patch_tag=''
	spec '%autosetup'; before=$(sums sources); overlay sources
	is "$rc:$(sums sources)" "2:$before" "%autosetup without -p1: exit code 2, nothing changed"
	spec '%setup -q' "sed -i 's/^line 20 .*/TWENTY/' thing.c"; before=$(sums sources); overlay sources
	is "$rc:$(sums sources)" "11:$before" "theirs has the change: exit code 11, nothing changed"
else skip "specs" "no rpmbuild here"; fi
is "$(find . -name '.patchset*')" "" "no temporary is left"
finish
