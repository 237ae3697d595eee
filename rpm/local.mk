# Source and binary rpms, from the same pins, series and test stage as the debs.
EXTRA_DIST += build-aux/srpm build-aux/rpm rpm/ruby.spec.in rpm/nio4r.spec.in rpm/puma.spec.in \
  rpm/common.inc rpm/root.inc rpm/operating_system.rb
rpm_common = $(top_srcdir)/rpm/common.inc $(top_srcdir)/build-aux/tidy
rpm_gem = $(rpm_common) $(top_srcdir)/rpm/root.inc $(top_srcdir)/build-aux/gem.gemspec

SRPM = $(call STAMP,$(missing_srpm))/srpm
dist/stamps/srpm-$(ruby_id): $(ruby_pin) $(ruby_series) $(rpm_common) $(profiling) $(top_srcdir)/rpm/ruby.spec.in \
  $(top_srcdir)/rpm/operating_system.rb $(wildcard $(top_srcdir)/debian/ruby/patches/*/*) $(stage_files) $(wildcard $(top_srcdir)/tests/embed/*)
	$(SRPM) $(ruby_pin) $@
dist/stamps/srpm-nio4r-$(ruby_id): $(nio4r_pin) $(rpm_gem) $(top_srcdir)/rpm/nio4r.spec.in
	$(SRPM) $(nio4r_pin) $@
dist/stamps/srpm-$(puma_id): $(puma_pin) $(puma_series) $(rpm_gem) $(top_srcdir)/rpm/puma.spec.in \
  $(addprefix $(top_srcdir)/debian/puma/,puma.1 puma.service) $(wildcard $(top_srcdir)/debian/puma/patches/*/*) $(stage_files) $(wildcard $(top_srcdir)/tests/parser/*)
	$(SRPM) $(puma_pin) $@

RPM = $(call STAMP,$(missing_rpm))/rpm
dist/stamps/rpm-$(ruby_id): dist/stamps/srpm-$(ruby_id)
	$(RPM) $(ruby_pin) $@
dist/stamps/rpm-nio4r-$(ruby_id): dist/stamps/srpm-nio4r-$(ruby_id) dist/stamps/rpm-$(ruby_id)
	$(RPM) $(nio4r_pin) $@ dist/stamps/rpm-$(ruby_id)
dist/stamps/rpm-$(puma_id): dist/stamps/srpm-$(puma_id) dist/stamps/rpm-$(ruby_id) dist/stamps/rpm-nio4r-$(ruby_id)
	$(RPM) $(puma_pin) $@ dist/stamps/rpm-$(ruby_id) dist/stamps/rpm-nio4r-$(ruby_id)

# The packages' names stand in these.
rpm_stamps = dist/stamps/rpm-$(1) dist/stamps/rpm-nio4r-$(1) dist/stamps/rpm-puma-$(with_puma)-$(1)

.PHONY: srpm rpm
srpm: prune dist/stamps/srpm-$(ruby_id) dist/stamps/srpm-nio4r-$(ruby_id) dist/stamps/srpm-$(puma_id)
rpm: prune $(call rpm_stamps,$(ruby_id))
