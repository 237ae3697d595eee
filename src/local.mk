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
PATCHSET_MODULES = libarchive libgit2 jansson libcrypto
