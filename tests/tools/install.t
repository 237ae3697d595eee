#!/bin/sh
# The packages from the signed repository, installed by apt in a clean chroot,
# run, purged; and the same proofs on stock packages, where they must fail.
# make check runs this in the build tree, with the releases in PATCHSET_*.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/tools/root.sh
. "$(dirname "$0")/root.sh"
: "${PATCHSET_RUBY:?run this by make check}" "${PATCHSET_PUMA:?}" "${PATCHSET_STOCK_STAMPS:?}"
ruby=ruby$PATCHSET_RUBY
puma=$(sed -n 's/^Version: //p' "$top/upstream/puma-$PATCHSET_PUMA.pin")
clean_root || { finish; exit; }
folders() { in_root sh -c 'find /etc /usr /opt /srv /var/lib -type d | grep -v -e ^/var/lib/apt -e ^/srv -e ^/usr/share/man | sort'; }

add_repository
in_root apt-get -q -y install --no-install-recommends gcc curl >"$work/log" 2>&1
before=$(folders)
run in_root apt-get -q -y install --no-install-recommends "$ruby" "$ruby-puma" "$ruby-dev"
is "$rc" 0 "apt install $ruby $ruby-puma $ruby-dev"; show
like "$(in_root dpkg-query -Wf '${Version}' "$ruby")" "+0patchset[1-9]" "it is our version"
installed patched
is "$rc" 0 "what runs on the installed packages"

# What the test stage is compiled with, and programs that Puma's tests call.
run in_root apt-get -q -y install --no-install-recommends pkg-config libjansson-dev git procps
is "$rc" 0 "apt install what Puma's tests need"; show
cp -R "source/puma-$puma" "$root/srv/puma"
in_root sh /srv/tests/installed/puma-all "$PATCHSET_RUBY" "$PATCHSET_PUMA" /srv/puma /srv/report >"$work/puma-all.tap" 2>&1
rc=$?
told "$work/puma-all.tap"
is "$rc" 0 "what Puma's own tests say of the installed packages"
report=dist/report/$ruby-puma-installed
[ ! -d "$root/srv/report" ] || { rm -rf "$report"; mkdir -p dist/report; cp -R "$root/srv/report" "$report"; }

# Debian's own Ruby brings an older RubyGems for all releases of Ruby.
if in_root apt-cache depends ruby | grep -q "Depends: $ruby$"; then
	skip "beside Debian's own Ruby" "this distribution's own Ruby is $PATCHSET_RUBY"
else
	run in_root apt-get -q -y install --no-install-recommends ruby ruby-rubygems
	is "$rc" 0 "Debian's own Ruby installs beside ours"; show
	# shellcheck disable=SC2016
	run in_root "$ruby" -e 'require "puma"; puts $".grep(%r{/rubygems\.rb\z})'
	is "$out" "/usr/lib/ruby/$PATCHSET_RUBY.0/rubygems.rb" "and ours keeps to its own RubyGems, and to its gems"
	run in_root ruby -e 'puts Gem::VERSION'
	is "$rc" 0 "and Debian's runs"; show
fi

# A gem of the user's outlives the packages; folders of ours do not.
user_gem "/var/lib/gems/$PATCHSET_RUBY.0"
run in_root apt-get -q -y purge --autoremove "$ruby" "$ruby-puma" "$ruby-dev"
is "$rc" 0 "purge"; show
is "$(find "$root/var/lib/gems" -name mine.rb | wc -l)" 1 "the user's gem stays"
rm -rf "$root/var/lib/gems"
# Packages that ours brought may stay, where others recommend them.
is "$(folders | grep -v -x -F "$before" | while read -r f; do in_root dpkg -S "$f" >/dev/null 2>&1 || echo "$f"; done)" "" "no folder of ours stays"
is "$(folders | grep -e "ruby$PATCHSET_RUBY" -e "ruby/$PATCHSET_RUBY" -e "ruby-$PATCHSET_RUBY")" "" "nor any of that name"

# The same programs, from packages without the series.
mkdir "$root/srv/stock"
# shellcheck disable=SC2086
for deb in $(made $PATCHSET_STOCK_STAMPS); do cp "dist/deb/$deb" "$root/srv/stock/"; done
run in_root sh -c "apt-get -q -y install --no-install-recommends /srv/stock/*.deb"
is "$rc" 0 "the stock packages install"; show
installed stock
is "$rc" 0 "every proof of the patches fails on stock"
run in_root sh -c "apt-get -q -y install --no-install-recommends $ruby $ruby-puma $ruby-dev && dpkg-query -Wf '\${Version}' $ruby"
like "$out" "+0patchset[1-9][^ ]*$" "apt upgrades stock to patched"; show
finish
