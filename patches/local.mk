# The series; which patches there are, and their order, stands in series alone.
ruby_series = $(wildcard $(top_srcdir)/patches/ruby/$(with_ruby)/*)
puma_series = $(wildcard $(top_srcdir)/patches/puma/$(with_puma)/*)

dist-hook: dist-patches
dist-patches:
	cp -R $(top_srcdir)/patches/ruby $(top_srcdir)/patches/puma $(top_srcdir)/patches/quiltrc $(distdir)/patches/

install-data-local:
	cd $(top_srcdir) && find patches -type f ! -name local.mk -exec $(INSTALL_DATA) -D {} "$(DESTDIR)$(pkgdatadir)/{}" ';'
uninstall-local:
	rm -rf "$(DESTDIR)$(pkgdatadir)/patches"
