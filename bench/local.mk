# Stock and patched packages side by side.  STOCK=DIR and PATCHED=DIR take the
# debs in a folder, the distribution's own say, in place of those built here.
EXTRA_DIST += build-aux/bench build-aux/side
dist-hook: dist-bench
dist-bench:
	cp -R $(filter-out %/local.mk,$(wildcard $(top_srcdir)/bench/*)) $(distdir)/bench/

.PHONY: bench bench-readme
bench: $(if $(PATCHED),,deb) $(if $(STOCK),,stock-deb)
	$(call STAMP,$(missing_bench))/bench '$(or $(PATCHED),$(call deb_stamps,$(ruby_id)))' '$(or $(STOCK),$(call deb_stamps,$(stock_id)))'

# README's chart and table, from the last run; bench/pgo is for packages of
# --enable-pgo, whose figures stand beside the others.
readme_folder = $(top_srcdir)/bench$(if $(filter yes,$(enable_pgo)),/pgo)
bench-readme:
	@test -s dist/bench/results.json || { echo "make $@: no results in dist/bench; run make bench first" >&2; exit 2; }
	@grep -q '^"partial": false' dist/bench/results.json || { echo "make $@: dist/bench has a part of the rows; run make bench without QUICK and ROWS" >&2; exit 2; }
	mkdir -p $(readme_folder) && cp dist/bench/results.json $(readme_folder)/
	dist/bench/patch/ruby $(top_srcdir)/bench/report.rb $(top_srcdir)/bench $(top_srcdir)/README.md
