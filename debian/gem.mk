# Builds a gem's package with RubyGems itself; shared by nio4r and Puma.
# PATCHSET_ROOT: the Ruby packages unpacked there are used in place of
# installed ones.
root := $(PATCHSET_ROOT)
# A tarball has its own, in a gem it is made from the metadata.
gemspec := $(or $(wildcard $(gem).gemspec),debian/gem.gemspec)
gems := usr/lib/ruby/gems/@API@
# dh_prep empties debian/tmp between build and install.
staged := debian/staged
export DEBIAN_DISABLE_RUBYGEMS_INTEGRATION = 1
# Debian's gems and the builder's own must not take part.
unexport GEM_HOME GEM_PATH RUBYOPT BUNDLE_GEMFILE
include /usr/share/dpkg/architecture.mk
ifneq (,$(root))
export LD_LIBRARY_PATH := $(root)/usr/lib/$(DEB_HOST_MULTIARCH)
export RUBYLIB := $(root)/usr/lib/ruby/@API@:$(root)/usr/lib/$(DEB_HOST_MULTIARCH)/ruby/@API@
shlibdeps := -l$(LD_LIBRARY_PATH) -- -S$(root)
endif
RUBY := $(root)/usr/bin/ruby@RUBY@
GEM := $(RUBY) $(root)/usr/bin/gem@RUBY@

export DEB_BUILD_MAINT_OPTIONS = hardening=+bindnow
include /usr/share/dpkg/buildflags.mk
export LC_ALL := C.UTF-8
# As Ruby is: gcc's ar and nm cannot be misled by another compiler's plugin.
flags = --with-cflags="$(CFLAGS) -fPIC" --with-cppflags="$(CPPFLAGS)" --with-ldflags="$(LDFLAGS)"

%:
	dh $@

override_dh_auto_configure override_dh_auto_clean:

# Not by --build-root, with which RubyGems makes folders on the build machine too.
override_dh_auto_build:
	$(GEM) build $(gemspec) --output debian/$(gem).gem
	$(GEM) install --local --no-document --ignore-dependencies --env-shebang \
	  --install-dir=$(CURDIR)/$(staged)/$(gems) --bindir=$(CURDIR)/$(staged)/usr/bin \
	  debian/$(gem).gem -- $(flags)

override_dh_auto_install:
	mkdir -p debian/@SOURCE@
	cp -a $(staged)/. debian/@SOURCE@/
	debian/tidy gem debian/@SOURCE@ $(gems) @RUBY@ $(programs)

override_dh_shlibdeps:
	dh_shlibdeps $(shlibdeps)
