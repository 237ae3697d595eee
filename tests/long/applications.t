#!/bin/sh
# What people run on an installed Ruby: tests/long/applications on the packages
# from the signed repository, in a clean chroot.
# shellcheck source=tests/tools/tap.sh
. "$(dirname "$0")/../tools/tap.sh"
# shellcheck source=tests/tools/root.sh
. "$(dirname "$0")/../tools/root.sh"
: "${PATCHSET_RUBY:?run this by make check-long}"
ruby=ruby$PATCHSET_RUBY
clean_root gcc g++ make patch curl git tmux systemd tzdata libsqlite3-dev libpq-dev default-libmysqlclient-dev pkg-config || { finish; exit; }
add_repository
run in_root apt-get -q -y install --no-install-recommends "$ruby" "$ruby-puma" "$ruby-dev"
is "$rc" 0 "apt install $ruby $ruby-puma $ruby-dev"; show
in_root sh /srv/tests/long/applications "$PATCHSET_RUBY" >"$work/applications.tap" 2>&1
rc=$?
mkdir -p dist/report
cp "$work/applications.tap" dist/report/
told "$work/applications.tap"
is "$rc" 0 "applications on the installed packages"
finish
