#!/bin/sh
# What an archive runs on a package before it takes it: autopkgtest on each
# source package, piuparts on all binary packages.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/../tools/tap.sh"
# shellcheck source=tests/tools/root.sh
. "$(dirname "$0")/../tools/root.sh"
: "${PATCHSET_STAMPS:?run this by make check-long}"
# shellcheck disable=SC2086
debs=$(made $PATCHSET_STAMPS | sed -n '/-dbgsym_/d; s,.*\.deb$,dist/deb/&,p')
mkdir -p dist/report
clean_root || { finish; exit; }
# Before the tests change it; without what clean_root put in.
run tar -C "$root" -czf "$work/base.tar.gz" --exclude=./srv/tests --exclude=./proc --exclude=./dev/pts .
is "$rc" 0 "the chroot as piuparts wants it"; show

for stamp in $PATCHSET_STAMPS; do
	dsc=$(dsc_of "$stamp")
	# shellcheck disable=SC2086
	run autopkgtest -U -B -q -o "$work/${dsc%%_*}" $debs "dist/deb/$dsc" -- chroot "$root"
	cp "$work/${dsc%%_*}/summary" "dist/report/autopkgtest-${dsc%%_*}.txt"
	is "$rc" 0 "autopkgtest of ${dsc%%_*}"; show
done

if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2086
	run piuparts -d "$codename" -b "$work/base.tar.gz" -m "$uri main" --no-eatmydata -l dist/report/piuparts.log $debs
	is "$rc" 0 "piuparts: install and purge"; show
	like "$(tail -n 5 dist/report/piuparts.log)" "PASS: All tests" "and says so"
else
	skip "piuparts" "this machine allows no mount"
fi
finish
