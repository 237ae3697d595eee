# Tarballs: fetch, verify, unpack, apply the series.
PINS = upstream/ruby-3.4.pin upstream/ruby-3.3.pin upstream/puma-8.0.pin \
  upstream/puma-6.6.pin upstream/puma-5.6.pin upstream/nio4r-2.7.pin
EXTRA_DIST += $(PINS) upstream/README.md build-aux/fetch build-aux/source build-aux/prune build-aux/clean
pinsdir = $(pkgdatadir)/upstream
dist_pins_DATA = $(PINS)

ruby_pin = $(top_srcdir)/upstream/ruby-$(with_ruby).pin
puma_pin = $(top_srcdir)/upstream/puma-$(with_puma).pin
nio4r_pin = $(top_srcdir)/upstream/nio4r-2.7.pin

source_stamps = dist/stamps/source-ruby-$(with_ruby)-stock_$(enable_stock) dist/stamps/source-nio4r \
  dist/stamps/source-puma-$(with_puma)-stock_$(enable_stock)
.PHONY: source
source: prune $(source_stamps)

UNPACK = $(call STAMP,$(missing_source))/source
dist/stamps/source-ruby-$(with_ruby)-stock_$(enable_stock): $(ruby_pin) $(ruby_series)
	$(UNPACK) $(ruby_pin) $@
dist/stamps/source-nio4r: $(nio4r_pin)
	$(UNPACK) $(nio4r_pin) $@
dist/stamps/source-puma-$(with_puma)-stock_$(enable_stock): $(puma_pin) $(puma_series)
	$(UNPACK) $(puma_pin) $@

clean-local:
	@$(RUN)/clean
