#!/bin/sh
# repo: which key signs, and what becomes of packages that are damaged, gone or
# not of the newest source.  The packages are tiny ones, made here.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
cd "$work" || exit 1
mkdir -p project dist/deb dist/rpm dist/stamps thing-1/debian/source
cp -R "$top/build-aux" project/
sums() { (cd "$1" && shift && sha256sum "$@"); }

# A source package and two of its packages, then a source rpm and an rpm.
echo hello >thing-1/file
tar -czf thing_1.orig.tar.gz thing-1
echo '3.0 (quilt)' >thing-1/debian/source/format
printf 'thing (1-1) unstable; urgency=medium\n\n  * One.\n\n -- A <a@example.org>  Tue, 01 Dec 2026 00:00:00 +0000\n' >thing-1/debian/changelog
printf 'Source: thing\nMaintainer: A <a@example.org>\n\nPackage: thing\nArchitecture: all\nDescription: thing\n' >thing-1/debian/control
: >thing-1/debian/rules
dpkg-source -b thing-1 >/dev/null 2>&1
for p in thing other; do
	mkdir -p $p/DEBIAN
	head -c 3000 /dev/urandom >$p/data
	printf 'Package: %s\nSource: thing\nVersion: 1-1\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: thing\n' $p >$p/DEBIAN/control
	dpkg-deb -b $p dist/deb/ >/dev/null
done
cp thing_1* dist/deb/
printf 'Name: thing\nVersion: 1\nRelease: 1\nSummary: s\nLicense: MIT\nBuildArch: noarch\n%%description\nd\n%%files\n' >thing.spec
rpmbuild -ba --define "_topdir $work/top" thing.spec >/dev/null 2>&1
cp top/SRPMS/*.rpm top/RPMS/noarch/*.rpm dist/rpm/
(cd dist/deb && ls thing_1*.gz thing_1*.xz thing_1*.dsc) >names
# shellcheck disable=SC2046
sums dist/deb $(cat names) >dist/stamps/dsc-x-stock_no
sums dist/deb thing_1-1_all.deb other_1-1_all.deb >dist/stamps/deb-x-stock_no
sums dist/rpm thing-1-1.src.rpm >dist/stamps/srpm-x-stock_no
sums dist/rpm thing-1-1.noarch.rpm >dist/stamps/rpm-x-stock_no
cp -a dist made

# Keys: one address that is a part of another, two of one address, an expired
# one, and one with a passphrase.
GNUPGHOME=$(mktemp -d /tmp/gpg.XXXXXX)
export GNUPGHOME
trap 'gpgconf --kill all; rm -rf --one-file-system "$GNUPGHOME" "$work"' EXIT
key() { gpg --batch --quiet --passphrase "$2" --quick-generate-key "Name <$1>" default sign "${3-never}" 2>/dev/null; }
key malice@example.org ''
key twice@example.org ''
gpg --batch --quiet --passphrase '' --quick-generate-key "Name Two <twice@example.org>" default sign never 2>/dev/null
key late@example.org '' seconds=1
key shut@example.org word
gpgconf --kill all
print() { gpg --list-keys --with-colons "<$1>" | awk -F: '$1 == "fpr" { print $10; exit }'; }

repo() { rm -rf dist; cp -a made dist; [ -z "${damage-}" ] || (cd dist && eval "$damage"); run sh project/build-aux/repo "$1" "${2-no}"; }
damage=
repo malice@example.org
is "$rc" 0 "an address names a key"; show
fpr=$(print malice@example.org)
is "$(gpg --verify dist/repo/apt/dists/*/InRelease 2>&1 | grep -c "$fpr")" 1 "which signs apt's index"
is "$(gpg --verify dist/repo/rpm/repodata/repomd.xml.asc dist/repo/rpm/repodata/repomd.xml 2>&1 | grep -c "$fpr")" 1 "and dnf's"
is "$(gpg --show-keys --with-colons dist/repo/apt/ruby-patchset.asc | grep -c ^pub)" 1 "and is the only one exported"
like "$out" "apt: 2 packages.*$fpr" "it is said, with the number of packages"
is "$(grep -h ^Package: dist/repo/apt/dists/*/main/binary-*/Packages | sort | tr '\n' ' ')" "Package: other Package: thing " "both debs are in the index"
like "$(ls dist/repo/apt/pool/*/main)" "thing_1.orig.tar.gz" "and their source is there"
mkdir -m 700 closed
sed "s,^URIs:.*,URIs: file:$work/dist/repo/apt," dist/repo/apt/ruby-patchset.sources >closed/thing.sources
mkdir -p state/lists/partial cache/archives/partial
run apt-get -o Dir::State="$work/state" -o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist="$work/closed/thing.sources" -o Dir::Etc::sourceparts=/dev/null update
is "$rc" 0 "apt takes the index with the key that is in the .sources file"; show
repo "$fpr"
is "$rc" 0 "so does a fingerprint"

refused() { # refused NAME CODE PATTERN KEY [STOCK]
	repo "$4" "${5-no}"
	is "$rc" "$2" "$1: exit code $2"
	like "$out" "$3" "it says so"
	one_line "said"
	is "$(ls dist/repo)" "" "and nothing is published"
}
refused "a part of an address" 2 "no secret key alice@example.org" alice@example.org
refused "an address of two keys" 2 "several secret keys.*fingerprint: [0-9A-F]* [0-9A-F]*" twice@example.org
refused "a name" 2 "KEY=Name: take a fingerprint" Name
# shellcheck disable=SC2016
for odd in "a'b" 'a$(id)@b' '--help' 'a b@c' '"'; do refused "KEY=$odd" 2 "take a fingerprint, a key ID or an e-mail address" "$odd"; done
refused "an unknown fingerprint" 2 "no secret key" 0123456789ABCDEF0123456789ABCDEF01234567
sleep 1 # until the key's only second is over
refused "an expired key" 1 "cannot sign" late@example.org
refused "a key with a passphrase and nobody to ask" 1 "cannot sign" shut@example.org
refused "an odd STOCK" 2 "STOCK=maybe" malice@example.org maybe
refused "no packages" 1 "no packages here" malice@example.org yes

damaged() { damage=$3; refused "$1" 1 "$2" malice@example.org; }
damaged "a deb cut short" "dist/deb/other_1-1_all.deb is gone or damaged; make deb" 'truncate -s -9 deb/other_1-1_all.deb'
damaged "a removed deb" "dist/deb/other_1-1_all.deb is gone or damaged" 'rm deb/other_1-1_all.deb'
damaged "an altered tarball of upstream" "dist/deb/thing_1.orig.tar.gz is gone or damaged; make dsc" 'echo >>deb/thing_1.orig.tar.gz'
damaged "an altered rpm" "dist/rpm/thing-1-1.noarch.rpm is gone or damaged; make rpm" 'echo >>rpm/thing-1-1.noarch.rpm'
damaged "an empty stamp" "dist/stamps/deb-x-stock_no is gone or damaged" ': >stamps/deb-x-stock_no'
damaged "a source package newer than its packages" "not from the newest source package; run make deb" 'touch -d "+1 minute" stamps/dsc-x-stock_no'
damaged "a lost source package" "not from the newest source package; run make deb" 'rm stamps/dsc-x-stock_no'

# make's steps begin with prune.
rm -rf dist; cp -a made dist
run sh project/build-aux/prune
is "$rc:$out:$(ls dist/stamps | wc -l)" "0::4" "prune keeps the stamps of sound packages"
truncate -s -9 dist/deb/other_1-1_all.deb
: >dist/stamps/rpm-x-stock_no
run sh project/build-aux/prune
is "$(ls dist/stamps | tr '\n' ' ')" "dsc-x-stock_no srpm-x-stock_no " "and removes those of damaged ones and empty ones"
like "$out" "dist/deb/other_1-1_all.deb is gone or damaged; what comes of it is made anew" "which it says"

# Without KEY, a key of this build tree, again the same.
rm -rf dist; cp -a made dist
run sh project/build-aux/repo "" no
is "$rc" 0 "a key is made for the build tree"; show
one=$(gpg --show-keys --with-colons dist/key.asc | awk -F: '$1 == "fpr" { print $10; exit }')
run sh project/build-aux/repo "" no
like "$out" "$one" "and signs the next time too"
run env TMPDIR=/absent sh project/build-aux/repo "" no
is "$rc" 1 "an absent TMPDIR: exit code 1"
like "$out" "cannot make a temporary folder in /absent" "it says so"
echo junk >dist/key.asc
run sh project/build-aux/repo "" no
is "$rc" 1 "a damaged key: exit code 1"
like "$out" "cannot read the key in .*/dist/key.asc; remove it to have a new one" "it says so"
finish
