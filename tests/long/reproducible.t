#!/bin/sh
# Two builds of each source package, in folders, homes, time zones, locales and
# umasks of their own, at other dates, with other numbers of CPUs and files in
# another order, give the same bytes.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/../tools/tap.sh"
: "${PATCHSET_STAMPS:?run this by make check-long}" "${PATCHSET_RUBY:?}"
# ccache would hide what differs.
PATH=$(echo "$PATH" | sed 's,/usr/lib/ccache:,,')
mkdir -p dist/report
# What nio4r and Puma are built against.
root=$work/root
mkdir "$root"
# shellcheck disable=SC2086
for deb in $(made $PATCHSET_STAMPS); do
	case $deb in *-dbgsym_* | *-doc_* | *-puma_*) continue ;; esac
	dpkg-deb -x "dist/deb/$deb" "$root"
	case $deb in libruby*) dpkg-deb -e "dist/deb/$deb" "$root/DEBIAN" ;; esac
done
# Another kernel or host name needs a virtual machine; file systems that give
# files in another order need FUSE.
vary=-kernel,-domain_host,-user_group
[ -e /dev/fuse ] || vary=$vary,-fileordering
for stamp in $PATCHSET_STAMPS; do
	dsc=$(dsc_of "$stamp")
	name=${dsc%%_*} unpacked="PATCHSET_ROOT=$root"
	[ "$name" != "ruby$PATCHSET_RUBY" ] || unpacked=
	mkdir "$work/$name"
	dpkg-source -x "dist/deb/$dsc" "$work/$name/src" >/dev/null
	run timeout 7200 reprotest --vary="$vary" \
		-c "$unpacked DEB_BUILD_OPTIONS=\"nocheck parallel=\$(nproc)\" dpkg-buildpackage -b -us -uc -d" "$work/$name/src" '../*.deb' -- null
	printf '%s\n' "$out" | sed -n '/^Reproduction\|^No differences/,$p' >"dist/report/reprotest-$name.txt"
	is "$rc" 0 "two builds of $name give the same bytes"; show
	[ -s "dist/report/reprotest-$name.txt" ] || printf '%s\n' "$out" | tail -n 100 >"dist/report/reprotest-$name.txt"
done
finish
