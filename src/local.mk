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
FUZZ_CC = clang -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -DLIBFUZZER
FUZZ_FLAGS = -max_total_time=$(SECONDS) -max_len=8192 -rss_limit_mb=2000 -timeout=20
fuzz_parts = src/diff.c src/tree.c src/match.c src/hunk.c src/verdict.c src/series.c src/util.c
.PHONY: fuzz-diff fuzz-parser
fuzz: fuzz-diff fuzz-parser
fuzz-diff:
	@$(call NEED,$(missing_fuzz))
	mkdir -p dist/fuzz/corpus
	for p in $(top_srcdir)/patches/*/*/*.patch; do cp $$p dist/fuzz/corpus/`echo $$p | cksum | tr -d ' '`; done
	$(FUZZ_CC) -std=gnu11 $(PATCHSET_CPPFLAGS) $(LIBARCHIVE_CFLAGS) $(top_srcdir)/tests/fuzz/diff.c \
	  $(addprefix $(top_srcdir)/,$(fuzz_parts)) $(LIBARCHIVE_LIBS) $(LIBCRYPTO_LIBS) -o dist/fuzz/diff
	cd dist/fuzz && nice ./diff $(FUZZ_FLAGS) corpus

# Puma's parser without the series and with it, from one source tree.
fuzz-parser: dist/stamps/source-puma-$(with_puma)-stock_$(enable_stock)
	@$(call NEED,$(missing_fuzz))
	rm -rf dist/fuzz/stock dist/fuzz/patched
	mkdir -p dist/fuzz/requests
	cp -R source/`sed -n 's/^Version: /puma-/p' $(top_srcdir)/upstream/puma-$(with_puma).pin` dist/fuzz/patched
	cp -R dist/fuzz/patched dist/fuzz/stock
	cd dist/fuzz/stock && quilt --quiltrc - pop -qa
	cd dist/fuzz && for side in stock patched; do \
	  $(FUZZ_CC) -w -DSIDE=$$side -I$(abs_top_srcdir)/tests/compare -I$$side/ext/puma_http11 -c $(abs_top_srcdir)/tests/compare/parser_side.c -o $$side.o || exit 1; done
	$(FUZZ_CC) $(top_srcdir)/tests/compare/parsers.c dist/fuzz/stock.o dist/fuzz/patched.o -o dist/fuzz/parsers
	ruby $(top_srcdir)/tests/compare/requests.rb write-files dist/fuzz/requests 1 2000
	cd dist/fuzz && nice ./parsers $(FUZZ_FLAGS) requests
