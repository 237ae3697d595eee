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
