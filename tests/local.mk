# The project's own tests, and those of the packages that were built.
TESTS_TAP = $(wildcard $(top_srcdir)/tests/tools/*.t)
dist-hook: dist-tests
dist-tests:
	cp -R $(top_srcdir)/tests/stage $(top_srcdir)/tests/embed $(top_srcdir)/tests/parser $(top_srcdir)/tests/tools $(distdir)/tests/
