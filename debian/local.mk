# Debian source and binary packages, and the repository made of them.
EXTRA_DIST += build-aux/dsc build-aux/deb build-aux/repo build-aux/tidy build-aux/gem.gemspec build-aux/pgo build-aux/still.c build-aux/train.rb
debian_files = $(top_srcdir)/build-aux/tidy $(wildcard $(addprefix $(top_srcdir)/debian/$(1)/,* */* */*/*))
debian_ruby = $(profiling) $(call debian_files,ruby)
debian_gem = $(top_srcdir)/build-aux/gem.gemspec $(top_srcdir)/debian/gem.mk $(call debian_files,$(1))
installed_tests = $(wildcard $(top_srcdir)/tests/installed/*) $(top_srcdir)/tests/tools/tap.sh
profiling = $(top_srcdir)/build-aux/pgo $(top_srcdir)/build-aux/still.c $(top_srcdir)/build-aux/train.rb
stage_files = $(wildcard $(top_srcdir)/tests/stage/*)

# automake wants file names, so the folders are named here.
dist-hook: dist-debian
dist-debian:
	cp -R $(top_srcdir)/debian/ruby $(top_srcdir)/debian/nio4r $(top_srcdir)/debian/puma $(top_srcdir)/debian/gem.mk $(distdir)/debian/

DSC = $(call STAMP,$(missing_dsc))/dsc
dist/stamps/dsc-$(ruby_id): $(ruby_pin) $(ruby_series) $(debian_ruby) $(installed_tests) $(stage_files) $(wildcard $(top_srcdir)/tests/embed/*)
	$(DSC) $(ruby_pin) $@
dist/stamps/dsc-nio4r-$(ruby_id): $(nio4r_pin) $(call debian_gem,nio4r)
	$(DSC) $(nio4r_pin) $@
dist/stamps/dsc-$(puma_id): $(puma_pin) $(puma_series) $(call debian_gem,puma) $(installed_tests) $(stage_files) $(wildcard $(top_srcdir)/tests/parser/*)
	$(DSC) $(puma_pin) $@

# The packages' names stand in these.
deb_stamps = dist/stamps/deb-$(1) dist/stamps/deb-nio4r-$(1) dist/stamps/deb-puma-$(with_puma)-$(1)

DEB = $(call STAMP,$(missing_deb))/deb
dist/stamps/deb-$(ruby_id): dist/stamps/dsc-$(ruby_id)
	$(DEB) $(ruby_pin) $@
dist/stamps/deb-nio4r-$(ruby_id): dist/stamps/dsc-nio4r-$(ruby_id) dist/stamps/deb-$(ruby_id)
	$(DEB) $(nio4r_pin) $@ dist/stamps/deb-$(ruby_id)
dist/stamps/deb-$(puma_id): dist/stamps/dsc-$(puma_id) dist/stamps/deb-$(ruby_id) dist/stamps/deb-nio4r-$(ruby_id)
	$(DEB) $(puma_pin) $@ dist/stamps/deb-$(ruby_id) dist/stamps/deb-nio4r-$(ruby_id)

.PHONY: dsc deb repo
dsc: prune dist/stamps/dsc-$(ruby_id) dist/stamps/dsc-nio4r-$(ruby_id) dist/stamps/dsc-$(puma_id)
deb: prune $(call deb_stamps,$(ruby_id))
repo:
	$(call STAMP,$(missing_repo))/repo "$$KEY" $(enable_stock)
