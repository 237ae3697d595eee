# The series; which patches there are, and their order, stands in series alone.
ruby_series = $(wildcard $(top_srcdir)/patches/ruby/$(with_ruby)/*)
puma_series = $(wildcard $(top_srcdir)/patches/puma/$(with_puma)/*)

nobase_pkgdata_DATA = patches/quiltrc \
  patches/ruby/3.4/series \
  patches/ruby/3.4/0001-size-embedded-slices-by-their-real-length.patch \
  patches/ruby/3.3/series \
  patches/ruby/3.3/0001-size-embedded-slices-by-their-real-length.patch \
  patches/puma/6.6/series \
  patches/puma/6.6/0001-intern-env-keys.patch \
  patches/puma/5.6/series \
  patches/puma/5.6/0001-intern-env-keys.patch
EXTRA_DIST += $(nobase_pkgdata_DATA)
