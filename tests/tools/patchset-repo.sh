# shellcheck shell=sh
# A checkout of one package, thing 1.0, for the tests of patchset; sourced.
# old/ is its tree, ours/ the patched one.
mkdir -p repo/upstream repo/patches/thing/1 dist
export PATCHSET_DISTDIR="$work/dist"

pack_old() {
	rm -rf thing-1.0 && cp -R old thing-1.0 && tar -czf dist/thing-1.0.tar.gz thing-1.0
	cat >repo/upstream/thing-1.pin <<EOF
Package: thing
Version: 1.0
Series: 1
Debian-Revision: 1
Patchset: 1
Date: Tue, 01 Dec 2026 00:00:00 +0000
Canonical: upstream
Origin: upstream https://upstream.invalid/thing-1.0.tar.gz $(sha256sum dist/thing-1.0.tar.gz | cut -d ' ' -f 1)
EOF
}

# series: repo's series is one patch, from old/ to ours/, made by diff(1).
series() {
	pack_old
	rm -rf a b && cp -R old a && cp -R ours b
	diff -urN a b | sed -e '/^diff /d' -e 's/^\(---\|+++\) \([^	]*\).*/\1 \2/' >patch.tmp
	# diff names a file that is not there; the form with /dev/null is git's.
	while IFS= read -r line; do
		case $line in
		'--- a/'*) [ -e "${line#--- }" ] || line='--- /dev/null' ;;
		'+++ b/'*) [ -e "${line#+++ }" ] || line='+++ /dev/null' ;;
		esac
		printf '%s\n' "$line"
	done <patch.tmp >repo/patches/thing/1/one.patch
	echo one.patch >repo/patches/thing/1/series
}

# git_series COMMAND: the same by git, which knows renames.
git_series() {
	pack_old
	rm -rf g && cp -R old g
	(cd g && git init -q . && git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm 1 &&
		eval "git $1" && git diff --cached -M) >repo/patches/thing/1/one.patch
	rm -rf g
	echo one.patch >repo/patches/thing/1/series
}

# A source file of 40 lines.
lines() { i=1; while [ $i -le 40 ]; do echo "line $i of the thing"; i=$((i + 1)); done; }

step() { # step NAME SED-SCRIPT: a patch on what the last one made
	rm -rf before && cp -R ours before && sed -i "$2" ours/thing.c
	{
		printf 'Description: %s\n second line\n .\n From here on --- nothing\nAuthor: A <a@b.invalid>\nForwarded: no\nLast-Update: 2026-12-01\n' "$1"
		diff -u --label a/thing.c --label b/thing.c before/thing.c ours/thing.c
	} >repo/patches/thing/1/"$1".patch
	echo "$1.patch" >>repo/patches/thing/1/series
}
release() { # release VERSION SED-SCRIPT: the new tarball from old/
	rm -rf "thing-$1" && cp -R old "thing-$1" && sed -i "$2" "thing-$1/thing.c" && tar -czf "thing-$1.tar.gz" "thing-$1"
}

# Theirs: thing 1.0-3+deb12u1 with a patch of its own that moves line 20.
theirs() { # theirs SED-SCRIPT: theirs/thing_1.0-3+deb12u1.dsc
	rm -rf theirs && mkdir -p theirs/thing-1.0 && cp old/thing.c theirs/thing-1.0/
	tar -C theirs -czf theirs/thing_1.0.orig.tar.gz thing-1.0
	mkdir -p theirs/thing-1.0/debian/source theirs/thing-1.0/debian/patches theirs/a theirs/b
	cp old/thing.c theirs/a/ && sed "$1" old/thing.c >theirs/b/thing.c
	(cd theirs && diff -u --label a/thing.c --label b/thing.c a/thing.c b/thing.c) >theirs/thing-1.0/debian/patches/fix.patch
	echo fix.patch >theirs/thing-1.0/debian/patches/series
	echo '3.0 (quilt)' >theirs/thing-1.0/debian/source/format
	printf 'Source: thing\nSection: misc\nMaintainer: B <b@b.invalid>\nStandards-Version: 4.6.2\n\nPackage: thing\nArchitecture: all\nDescription: thing\n thing\n' >theirs/thing-1.0/debian/control
	printf 'thing (1.0-3+deb12u1) bookworm-security; urgency=high\n\n  * Fix.\n\n -- B <b@b.invalid>  Sun, 01 Nov 2026 00:00:00 +0000\n' >theirs/thing-1.0/debian/changelog
	printf '#!/usr/bin/make -f\n%%:\n\ttrue\n' >theirs/thing-1.0/debian/rules && chmod +x theirs/thing-1.0/debian/rules
	(cd theirs && dpkg-source -b thing-1.0 >/dev/null 2>&1 && rm -rf thing-1.0 a b)
}
