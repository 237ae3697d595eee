# The project's own tests, and those of the packages that were built.
EXTRA_DIST += .ci/run
# The longest first, so that none runs alone at the end; but Puma's suite, in
# install.t, has tests that fail on a busy machine: it has the machine to itself.
tap = $(filter-out $(alone) $(left_out),$(longest) $(filter-out $(longest),$(wildcard $(top_srcdir)/tests/tools/*.t)))
longest = $(addprefix $(top_srcdir)/tests/tools/,patchset-real.t dnf.t compare.t series.t overlay.t patchset-faults.t)
alone = $(filter-out $(left_out),$(top_srcdir)/tests/tools/install.t)
left_out = $(if $(filter none,$(with_test_level)),$(package_tests))
shell_scripts = bootstrap .ci/run build-aux/fetch build-aux/source build-aux/prune build-aux/clean build-aux/dsc build-aux/deb build-aux/srpm build-aux/rpm build-aux/tidy build-aux/pgo build-aux/repo build-aux/side build-aux/bench \
  tests/stage/run tests/embed/run tests/parser/run-upstream tests/installed/ruby tests/installed/puma tests/installed/puma-all tests/long/applications
c_sources = tests/stage/tally.c build-aux/still.c

dist-hook: dist-tests
dist-tests:
	for d in stage embed compare parser tools installed faults fuzz long; do cp -R $(top_srcdir)/tests/$$d $(distdir)/tests/ || exit 1; done

# The packages without the series, which the proofs must fail on, and without a
# profile, as distributions ship them.  They lie beside the others: their version
# says patchset0.
stock_id = ruby-$(with_ruby)-none-yjit_$(enable_yjit)-pgo_no-stock_yes
.PHONY: stock-deb
stock-deb:
	DEB_BUILD_PROFILES=nodoc DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=`nproc`" \
	  $(MAKE) --no-print-directory enable_stock=yes enable_pgo=no with_test_level=none deb

# The rpms hold the binaries that the debs were tested with, from the same
# sources: level core is enough, unless a run of the full one is there.
rpm_id = ruby-$(with_ruby)-$(rpm_level)-yjit_$(enable_yjit)-pgo_$(enable_pgo)-stock_$(enable_stock)
rpm_level = $(if $(wildcard dist/stamps/rpm-puma-$(with_puma)-$(ruby_id)),$(with_test_level),core)
.PHONY: tested-rpm
tested-rpm:
	$(MAKE) --no-print-directory with_test_level=$(rpm_level) rpm

# At level none the project's own programs are tested alone, as distcheck does.
AM_DISTCHECK_CONFIGURE_FLAGS = --with-test-level=none
package_tests = $(addprefix $(top_srcdir)/tests/tools/,deb.t install.t overlay.t rpm.t dnf.t compare.t)
if TEST_PACKAGES
tested = source deb tested-rpm repo stock-deb
endif
check-local: lint $(tested)
	@$(call NEED,$(missing_check))
	@export PATCHSET_RUBY=$(with_ruby) PATCHSET_PUMA=$(with_puma) PATCHSET_DISTDIR='$(with_distdir)' \
	  PATCHSET_STAMPS='$(call deb_stamps,$(ruby_id))' \
	  PATCHSET_STOCK_STAMPS='$(call deb_stamps,$(stock_id))' \
	  PATCHSET_RPM_STAMPS='$(call rpm_stamps,$(rpm_id))'; rc=0; \
	for run in $(if $(alone),'$(alone)') $(if $(tap),'-j2 $(tap)'); do prove --timer --failures --comments $$run || rc=1; done; exit $$rc

# Those of tests/long, and the tests that take a number, with a larger one.
.PHONY: check-long
check-long: source deb stock-deb repo
	@$(call NEED,$(missing_long))
	$(MAKE) --no-print-directory check-local tap='$(top_srcdir)/tests/tools/compare.t $(top_srcdir)/tests/tools/patchset-faults.t $(wildcard $(top_srcdir)/tests/long/*.t)' \
	  alone= tested= PROGRAMS=420000 REQUESTS=10000000 EVERY=1

.PHONY: lint
lint:
	@$(call NEED,$(missing_lint))
	cd $(top_srcdir) && shellcheck -x -S warning -e SC1091 $(shell_scripts) tests/*/*.t
	cd $(top_srcdir) && for c in $(c_sources); do \
	  gcc -Wall -Wextra -Wpedantic -Werror -fsyntax-only `pkg-config --cflags jansson` $$c || exit 1; done
	cd $(top_srcdir) && for cc in gcc clang; do command -v $$cc >/dev/null || continue; for c in src/*.c tests/fuzz/*.c; do \
	  $$cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only $(PATCHSET_CPPFLAGS) -DVERSION='""' \
	    `pkg-config --cflags $(PATCHSET_MODULES)` $$c || exit 1; done; done
