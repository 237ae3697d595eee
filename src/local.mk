# patchset, the program for maintainers.
if BUILD_PATCHSET
bin_PROGRAMS = src/patchset
dist_man_MANS = src/patchset.1
else
EXTRA_DIST += src/patchset.1 $(patchset_sources)
all-local:
	@echo "make: src/patchset is not built: missing:$(missing_patchset); install it and run configure again"
endif
patchset_sources = src/main.c src/cmd.h src/cmd_status.c src/cmd_check.c src/cmd_rebase.c src/cmd_overlay.c src/cmd_export.c \
  src/diff.c src/diff.h src/tree.c src/tree.h src/match.c src/match.h src/hunk.c src/hunk.h \
  src/verdict.c src/verdict.h src/series.c src/series.h src/report.c src/report.h \
  src/merge.c src/merge.h src/rebase.c src/rebase.h src/install.c \
  src/overlay.h src/overlay_deb.c src/overlay_rpm.c src/util.c src/util.h
src_patchset_SOURCES = $(patchset_sources)
src_patchset_CPPFLAGS = $(PATCHSET_CPPFLAGS)
src_patchset_CFLAGS = -std=gnu11 -Wall -Wextra $(LIBARCHIVE_CFLAGS) $(LIBGIT2_CFLAGS) $(JANSSON_CFLAGS) $(LIBCRYPTO_CFLAGS)
src_patchset_LDADD = $(LIBARCHIVE_LIBS) $(LIBGIT2_LIBS) $(JANSSON_LIBS) $(LIBCRYPTO_LIBS)
PATCHSET_CPPFLAGS = -DPKGDATADIR='"$(pkgdatadir)"'
# Its folders go with it, where nothing of somebody else's is in them.
uninstall-hook:
	@find '$(DESTDIR)$(pkgdatadir)' -depth -type d -exec rmdir {} + 2>/dev/null || :
PATCHSET_MODULES = libarchive libgit2 jansson libcrypto

.PHONY: rebase overlay fuzz
rebase: all
	@$(call NEED,$(missing_rebase))
	@test -n "$$TARBALL" || { echo "make rebase: say which: make rebase TARBALL=FILE" >&2; exit 2; }
	$(if $(with_distdir),PATCHSET_DISTDIR='$(with_distdir)') src/patchset -C $(top_srcdir) rebase "$$TARBALL"
overlay: all
	@$(call NEED,$(missing_overlay))
	@test -n "$$SOURCE" || { echo "make overlay: say which: make overlay SOURCE=FILE" >&2; exit 2; }
	$(if $(with_distdir),PATCHSET_DISTDIR='$(with_distdir)') src/patchset -C $(top_srcdir) overlay "$$SOURCE"

# The findings lie in dist/fuzz.
SECONDS = 60
fuzz_parts = src/diff.c src/tree.c src/match.c src/hunk.c src/verdict.c src/series.c src/util.c
fuzz:
	@$(call NEED,$(missing_fuzz))
	mkdir -p dist/fuzz/corpus
	for p in $(top_srcdir)/patches/*/*/*.patch; do cp $$p dist/fuzz/corpus/`echo $$p | cksum | tr -d ' '`; done
	clang -std=gnu11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -DLIBFUZZER $(PATCHSET_CPPFLAGS) \
	  $(LIBARCHIVE_CFLAGS) $(top_srcdir)/tests/fuzz/diff.c $(addprefix $(top_srcdir)/,$(fuzz_parts)) \
	  $(LIBARCHIVE_LIBS) $(LIBCRYPTO_LIBS) -o dist/fuzz/diff
	cd dist/fuzz && nice ./diff -max_total_time=$(SECONDS) -max_len=8192 -rss_limit_mb=2000 -timeout=20 corpus
