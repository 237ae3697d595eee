# shellcheck shell=sh disable=SC2034
# Shared by the scripts of this folder, which run in the build tree; sourced,
# never run.  Exit codes: 1 a step failed, 2 usage, 3 no verified tarball,
# 4 the series does not apply, 5 a tool is missing, 6 another run is going.
set -eu
prog=${0##*/}
aux=$(cd "$(dirname "$0")" && pwd)
top=${aux%/*}
# Modes and messages of the packages must not depend on who builds.
umask 022
export LC_ALL=C.UTF-8 TZ=UTC
# make -i would pass over a failing test in a package build, and variables of
# its command line would get into the packages.
unset MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKELEVEL MAKEOVERRIDES QUILT_SERIES QUILT_PC CDPATH
# The log that a failure names; set by a script that writes one.
log=

die() { # die CODE MESSAGE
	code=$1; shift
	[ -z "$log" ] || [ ! -s "$log" ] || { tail -n 20 "$log" | sed 's/^/    /' >&2; set -- "$* (log: $log)"; }
	echo "$prog: $*" >&2
	exit "$code"
}

say() { echo "$prog: $*"; }

# Two runs in one build tree would undo each other's steps.  The lock goes with
# the process, so what may outlive it (a gpg-agent, a stray child of a test)
# gets descriptor 9 closed.
(mkdir -p dist && : >>dist/.lock) 2>/dev/null || die 1 "cannot write to $(pwd)/dist"
if [ -z "${PATCHSET_LOCK-}" ]; then
	exec 9>dist/.lock
	flock -n 9 || die 6 "another run is going in $(pwd); wait until it ends"
	export PATCHSET_LOCK=1
fi

# Everything unfinished lies in $tmp and goes with it, however we end.
tmp=
cleanup() { rc=${1-$?}; trap - EXIT; [ -z "$tmp" ] || rm -rf --one-file-system "$tmp"; exit "$rc"; }
trap cleanup EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM

# new_tmp FOLDER: on the same file system as the result, so that the last
# step is a rename.
new_tmp() {
	tmp=$(cd "$1" && mktemp -d "$PWD/$prog.XXXXXX") || die 1 "cannot make a temporary folder in $1"
	chmod 755 "$tmp"
}

# For builds: a short folder outside the checkout, since a Unix socket's path
# holds 107 bytes and the checkout's parent folders may be closed to the user
# that runs the tests.
new_build_tmp() {
	new_tmp "${TMPDIR:-/var/tmp}"
	case $tmp in *[[:space:]]*) die 2 "TMPDIR=$TMPDIR has a blank in it, which make cannot handle; set another" ;; esac
}

# try MESSAGE COMMAND...: a failure is said in one line, with the command's first.
try() {
	doing=$1; shift
	why=$("$@" 2>&1) || die 1 "$doing: $(printf '%s\n' "$why" | head -n 1)"
}

# collect FOLDER FILE...: moves a build's results there, all or none.  The copy
# to another file system may fail, the renames in it do not.
collect() {
	build=$tmp into=$1; shift
	trap 'rc=$?; rm -rf --one-file-system "$build"; cleanup $rc' EXIT
	new_tmp "$into"
	try "cannot copy the packages to $into" cp "$@" "$tmp"
	mv "$tmp"/* "$into/"
}

# keep_report FOLDER NAME: in dist/report; it is worth most after a failure.
keep_report() {
	[ -d "$1" ] || return 0
	rm -rf "dist/report/$2"
	cp -r "$1" "dist/report/$2"
}

# read_pin FILE: sets package, version, series, ... from a pin's fields.
read_pin() {
	pin=$1
	[ -f "$pin" ] || die 2 "no such pin: $pin"
	package=$(field Package) version=$(field Version) series=$(field Series)
	revision=$(field Debian-Revision) patchset=$(field Patchset) canonical=$(field Canonical)
	date=$(field Date)
	! grep -q "$(printf '\r')" "$pin" || die 2 "$pin has CRLF line ends; convert it to LF"
	for name in Package Version Debian-Revision Patchset Date Origin; do
		[ -n "$(field $name)" ] || die 2 "$pin: $name is missing"
	done
	case $version in [!0-9]* | *[!0-9A-Za-z.~+-]*) die 2 "$pin: Version: $version is no version; take the like of 3.4.5" ;; esac
	date -d "$date" >/dev/null 2>&1 || die 2 "$pin: Date is no date: $date"
	patches=
	[ -z "$series" ] || [ "${PATCHSET_STOCK-no}" = yes ] || patches=$top/patches/$package/$series
}
field() { sed -n "s/^$1: *//p" "$pin" | head -n 1; }

# The origins, the canonical one first, else in the pin's order.
origins() {
	sed -n "s/^Origin: *\($canonical .*\)/\1/p" "$pin"
	sed -n 's/^Origin: *//p' "$pin" | grep -v "^$canonical " || :
}
# origin_file KIND ARGUMENTS...: the name of its tarball.
origin_file() {
	case $1 in
	upstream) echo "${2##*/}" ;;
	debian) echo "$4" ;;
	gem) echo "$2-$3.gem" ;;
	*) die 2 "$pin: unknown kind of origin: $1" ;;
	esac
}
# The origin whose verified tarball lies in dist/upstream: sets origin, tarball.
find_tarball() {
	origins >"$tmp/origins"
	while read -r origin rest; do
		# shellcheck disable=SC2086
		tarball=dist/upstream/$(origin_file $origin $rest)
		[ ! -f "$tarball" ] || return 0
	done <"$tmp/origins"
	die 3 "no tarball of $package $version in dist/upstream"
}

# A stamp tells make that a step is done, and what it made, as sha256sum does.
# sums FOLDER NAME...: a line for each file in it.
sums() (
	cd "$1" && shift &&
		find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum &&
		find "$@" -type l -printf '%l  %p\n' | LC_ALL=C sort
)
# made STAMP...: the names.
made() {
	for s; do [ -s "$s" ] || die 1 "$s is missing or empty; run make again"; done
	sed 's/^[^ ]*  //' "$@"
}
# stamp FILE FOLDER NAME...: other options make files of the same names, so the
# stamps of those are void now.
stamp() {
	stamp=$1; shift
	sums "$@" >"$tmp/stamp" || die 1 "cannot read what was made in $1"
	made "$tmp/stamp" | grep -v '\.orig\.' >"$tmp/own" # upstream's tarball is the same with any options
	for other in dist/stamps/*; do
		[ ! -s "$other" ] || ! made "$other" | grep -qxFf "$tmp/own" || rm -f "$other"
	done
	mv "$tmp/stamp" "$stamp" || die 1 "cannot write $stamp (full disk?)"
}
# tree_of STAMP: the folder in source/ that it is for.
tree_of() { made "$1" | sed '1s,/.*,,;q'; }
# unsound STAMP: one of its files that is gone or damaged, or itself if it is
# empty.  What somebody did in source/ is no damage.
unsound() {
	[ -s "$1" ] || { echo "$1"; return; }
	case $1 in */source-*) in=source ;; *rpm-*) in=dist/rpm ;; *) in=dist/deb ;; esac
	case $in in
	source) tree=$(tree_of "$1"); [ -d "source/$tree" ] || echo "source/$tree" ;;
	*) sums=$(pwd)/$1
		(cd $in 2>/dev/null && sha256sum --check --quiet "$sums" 2>/dev/null || echo "${sums##*/}: FAILED") |
			sed -n "1s,\(.*\): FAILED.*,$in/\1,p" ;;
	esac
}
# untouched TREE [NEW]: stops where somebody's work in source/TREE would be
# lost, that is where NEW does not have it.
untouched() {
	[ -e "source/$1" ] || [ -L "source/$1" ] || return 0
	for s in dist/stamps/source-*; do
		[ -s "$s" ] && [ "$(tree_of "$s")" = "$1" ] || continue
		sums source "$1" | diff - "$s" | sed -n 's/^[<>] [^ ]*  //p' | grep -v "^$1/\.pc/" >"$tmp/changed" || :
		while read -r f; do
			[ -n "${2-}" ] && cmp -s "source/$f" "$2${f#"$1"}" ||
				die 1 "source/$f was changed after the series was applied; move source/$1 away first"
		done <"$tmp/changed"
		return 0
	done
	die 1 "source/$1 may hold somebody's work, since its stamp is gone; move it away first"
}

# unpack TARBALL FOLDER: the tree without its top folder.
unpack() {
	mkdir -p "$2"
	case $1 in
	*.gem)
		# A gem has its files and its specification side by side.
		# shellcheck disable=SC2016
		try "cannot unpack $1" sh -c 'tar -xOf "$1" data.tar.gz | tar -xz -C "$2" --no-same-owner &&
			tar -xOf "$1" metadata.gz | gzip -dc >"$2/metadata.yml" && [ -s "$2/metadata.yml" ]' sh "$1" "$2" ;;
	*) try "cannot unpack $1" tar -xf "$1" -C "$2" --strip-components=1 --no-same-owner ;;
	esac
}

# pack FOLDER NAME TARBALL: FOLDER/NAME, the same bytes each time.
pack() {
	tar -C "$1" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX \
		--mtime="$date" -cf "$tmp/pack.tar" "$2" && gzip -9nc "$tmp/pack.tar" >"$3"
}

# check_series FOLDER: what quilt would not say in one line.
check_series() {
	[ -f "$1/series" ] || die 4 "$1/series is missing"
	if grep -q "$(printf '\r')" "$1/series"; then
		die 4 "$1/series has CRLF line ends; convert it to LF"
	fi
	[ -n "$(series_patches "$1")" ] || die 4 "$1/series names no patch"
	odd=$(sed -e 's/#.*//' "$1/series" | awk 'NF > 1' | head -n 1)
	# A Debian source package has no place for them.
	[ -z "$odd" ] || die 4 "$1/series gives options to quilt: $odd; write the patch for -p1"
	series_patches "$1" | while read -r patch; do
		[ -f "$1/$patch" ] || die 4 "$1/$patch is missing, but series names it"
		grep -q '^@@ ' "$1/$patch" || die 4 "$1/$patch has no hunk"
		! grep -q "^@@ .*$(printf '\r')\$" "$1/$patch" || die 4 "$1/$patch has CRLF line ends; convert it to LF"
	done
}
series_patches() { sed 's/#.*//' "$1/series" | awk 'NF { print $1 }'; }

# apply_series TREE FOLDER: at fuzz 0, with quilt, or nothing.  $tmp/patches, if
# it is there, tells where the files of the folder came from.
apply_series() {
	check_series "$2"
	if ! (cd "$1" && QUILT_PATCHES=${2#"$1/"} quilt --quiltrc "$top/patches/quiltrc" push -a --fuzz=0) >"$tmp/quilt" 2>&1; then
		what=$(sed -n -e 's/^Applying patch \(.*\)/\1/p' "$tmp/quilt" | tail -n 1)
		file=$(sed -n 's/^patching file //p' "$tmp/quilt" | tail -n 1)
		hunk=$(sed -n 's/^\(Hunk.*FAILED.*\)/\1/p; s/^\(can.t find file.*\)/\1/p; s/.*\(malformed patch.*\)/\1/p; s/.*\(unexpected end.*\)/\1/p' "$tmp/quilt" | head -n 1)
		what=${what##*/}
		from=$(sed -n "s|/$what\$||p" "$tmp/patches" 2>/dev/null | head -n 1)
		die 4 "$what does not apply to $package $version: ${file:+$file: }${hunk:-$(tail -n 1 "$tmp/quilt")}; rebase it, or drop it from ${from:-$2}/series"
	fi
}

# The Debian release that packages are made for.
# shellcheck disable=SC1091
codename() { (. /etc/os-release; echo "${VERSION_CODENAME:-unstable}"); }

# names: what the packages of the pin are called here, in deb and rpm.
names() {
	ruby=$PATCHSET_RUBY variant=patched source=ruby$ruby-$package
	[ "$package" != ruby ] || source=ruby$ruby
	[ "${PATCHSET_STOCK-no}" = no ] || variant=stock patchset=0
	find_tarball
}
deb_names() {
	names
	# shellcheck disable=SC1091
	suffix=$(. /etc/os-release; case $ID in debian) echo "deb${VERSION_ID-99}" ;; *) echo "$ID${VERSION_ID-}" ;; esac)u1
	# Another origin is another orig file, so it never gets the same version.
	[ "$origin" = "$canonical" ] || suffix=alt.$origin~$suffix
	debversion=$version-$revision+0patchset$patchset~$suffix
}

# Below a distribution's first update and its rebuilds.
rpm_names() {
	names
	release=1.0.patchset$patchset
	[ "$package" = ruby ] || source=ruby$ruby-rubygem-$package
}
# rpm_build OPTION...: rpmbuild below $tmp, with nothing in its results that
# tells the time or the machine.
rpm_build() {
	SOURCE_DATE_EPOCH=$(date -d "$date" +%s) rpmbuild --define "_topdir $tmp" --define "_tmppath $tmp" --define '_buildhost localhost' \
		--define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' "$@"
}

# all_patches FOLDER: copies there the packaging patches, then those of the
# series, with a series file of their own; the files stand in $tmp/patches.
all_patches() {
	mkdir -p "$1"
	for folder in "$top/debian/$package/patches/$series" ${patches:+"$patches"}; do
		# Packaging patches may be none; a series that is named must be there.
		[ -d "$folder" ] || [ "$folder" = "$patches" ] || continue
		check_series "$folder"
		series_patches "$folder" | sed "s|^|$folder/|"
	done >"$tmp/patches"
	while read -r p; do
		cp "$p" "$1/"
		echo "${p##*/}" >>"$1/series"
	done <"$tmp/patches"
}

# changes: the entry of a package's changelog.
changes() {
	if [ -z "$patches" ]; then
		echo "* Stock $package $version, without the series, for comparison."
	else
		echo "* $package $version with the ruby-patchset series:"
		series_patches "$patches" | while read -r p; do sed -n 's/^Description: */  - /p' "$patches/$p"; done
	fi
}

# sbom FOLDER VERSION SOURCE FILE...: SOURCE.spdx, beside the packages FILE that
# were built from the source package SOURCE, tells what they are made of, in the
# tag-value form of SPDX 2.3.
sbom() {
	into=$1 full=$2 from=$3; shift 3
	all_patches "$tmp/sbom"
	sum() { sha256sum <"$1" | cut -d ' ' -f 1; }
	part() { # part ID NAME VERSION FILE LOCATION PURPOSE
		printf '%s\n' "" "PackageName: $2" "SPDXID: SPDXRef-$1" "PackageVersion: $3" "PackageFileName: ${4##*/}" \
			"PackageDownloadLocation: $5" "FilesAnalyzed: false" "PackageChecksum: SHA256: $(sum "$4")" "PrimaryPackagePurpose: $6"
	}
	{
		printf '%s\n' "SPDXVersion: SPDX-2.3" "DataLicense: CC0-1.0" "SPDXID: SPDXRef-DOCUMENT" "DocumentName: $source $full" \
			"DocumentNamespace: urn:uuid:$(sum "$into/$from" | sed 's/^\(.\{8\}\)\(....\).\(...\).\(...\)\(.\{12\}\).*/\1-\2-8\3-8\4-\5/')" \
			"Creator: Tool: ruby-patchset" "Created: $(date -u -d "$date" +%Y-%m-%dT%H:%M:%SZ)" \
			"Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Source"
		n=0
		while read -r p; do
			n=$((n + 1))
			printf '%s\n' "" "FileName: ./${p#"$top/"}" "SPDXID: SPDXRef-Patch-$n" "FileChecksum: SHA1: $(sha1sum <"$p" | cut -d ' ' -f 1)" \
				"FileChecksum: SHA256: $(sum "$p")" "Relationship: SPDXRef-Patch-$n PATCH_APPLIED SPDXRef-Upstream"
		done <"$tmp/patches"
		url=NOASSERTION
		[ "$origin" != upstream ] || url=${rest% *}
		part Upstream "$package" "$version" "$tarball" "$url" SOURCE
		echo "PackageSourceInfo: <text>$origin $rest</text>"
		part Source "$source" "$full" "$into/$from" NOASSERTION SOURCE
		echo "Relationship: SPDXRef-Source GENERATED_FROM SPDXRef-Upstream"
		n=0
		for file; do
			n=$((n + 1))
			part "Package-$n" "${file%%[_-]"$version"*}" "$full" "$into/$file" NOASSERTION INSTALL
			echo "Relationship: SPDXRef-Package-$n GENERATED_FROM SPDXRef-Source"
		done
	} >"$tmp/spdx" || die 1 "cannot write the SBOM of $source (full disk?)"
	from=${from%.dsc}
	mv "$tmp/spdx" "$into/${from%.src.rpm}.spdx"
}

# patch_names: those of the series, for RbConfig.
patch_names() { [ -z "$patches" ] || series_patches "$patches" | sed 's/\.patch$//' | paste -sd ' '; }

# fill SOURCE TARGET: a template's @NAMES@, from the pin and configure.
fill() {
	sed -e "s|@RUBY@|$ruby|g" -e "s|@API@|$ruby.0|g" -e "s|@SOURCE@|$source|g" -e "s|@UPSTREAM@|$version|g" \
		-e "s|@VARIANT@|$variant|g" -e "s|@RELEASE@|$package-$series|g" -e "s|@YJIT@|${PATCHSET_YJIT-yes}|g" \
		-e "s|@REVISION@|${release-}|g" -e "s|@PATCH_NAMES@|$(patch_names)|g" "$1" >"$2"
}

# pack_tools FOLDER: what goes along, so that a source package builds without
# this project.
pack_tools() {
	mkdir -p "$1/tests"
	cp "$top/build-aux/tidy" "$1/"
	case $package in
	ruby) cp -R "$top/tests/stage" "$top/tests/embed" "$1/tests/" && cp "$aux/pgo" "$aux/still.c" "$aux/train.rb" "$1/" ;;
	puma) cp -R "$top/tests/stage" "$top/tests/parser" "$1/tests/" && cp "$aux/gem.gemspec" "$1/" ;;
	nio4r) cp "$aux/gem.gemspec" "$1/" ;;
	esac
}
