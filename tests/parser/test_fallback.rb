# frozen_string_literal: true

# Builds the extension once for each set of functions that a Ruby may have, and
# runs test_env_keys.rb against each build.
#
#   PUMA_SOURCE  the patched source tree; it is copied, never written to
#   RUBY         the interpreter for the builds, by default the running one

require "fileutils"
require "minitest/autorun"
require "open3"
require "rbconfig"
require "tmpdir"

class TestFallback < Minitest::Test
  SOURCE = ENV.fetch("PUMA_SOURCE") { abort "test_fallback.rb: set PUMA_SOURCE to the patched Puma source tree" }
  RUBY = ENV["RUBY"] || RbConfig.ruby
  FUNCTIONS = %w[rb_enc_interned_str rb_enc_interned_str_cstr rb_hash_bulk_insert].freeze

  # The tests need no TLS, and it takes most of the build time. Puma 5 knows the
  # shorter name.
  NO_SSL = { "PUMA_DISABLE_SSL" => "1", "DISABLE_SSL" => "1" }.freeze

  # extconf.rb as on a Ruby that lacks the functions given as arguments.
  EXTCONF = <<~'RUBY'
    HIDDEN = ARGV.slice!(0..-1)
    def self.have_func(func, *)
      HIDDEN.include?(func) ? false : super
    end
    load "extconf.rb"
  RUBY

  # An interned key must not hang on an object that the GC sees too late.
  LOAD = <<~'RUBY'
    GC.stress = true
    require "puma/puma_http11"
    GC.stress = false
    load ARGV.shift
  RUBY

  def test_with_all_functions
    assert_build [], imports: %w[rb_enc_interned_str rb_hash_bulk_insert]
  end

  def test_with_the_cstr_function_only
    assert_build ["rb_enc_interned_str"], imports: %w[rb_enc_interned_str_cstr rb_hash_bulk_insert]
  end

  def test_without_bulk_insert
    assert_build ["rb_hash_bulk_insert"], imports: ["rb_enc_interned_str"]
  end

  # Here the Hash interns an unknown name, from a String made for it, and no one keeps it.
  def test_with_none_of_the_functions
    assert_build FUNCTIONS, imports: [], exclude: "/allocates_no_key|other_fields_stay/"
  end

  def assert_build(hidden, imports:, exclude: "none")
    Dir.mktmpdir do |dir|
      FileUtils.cp_r(%w[ext lib].map { |part| File.join(SOURCE, part) }, dir)
      ext, lib = File.join(dir, "ext/puma_http11"), File.join(dir, "lib")
      FileUtils.rm_f(Dir[File.join(ext, "{*.o,*.so,Makefile}"), File.join(lib, "puma/puma_http11.*")])
      run_in(ext, RUBY, "-rmkmf", "-e", EXTCONF, *hidden)
      run_in(ext, ENV["MAKE"] || "make")
      so = File.join(ext, "puma_http11.#{RbConfig::CONFIG["DLEXT"]}")
      assert_equal imports, FUNCTIONS & File.binread(so).split("\0")
      FileUtils.mv(so, File.join(lib, "puma"))
      out = run_in(dir, RUBY, "-I", lib, "-e", LOAD, File.join(__dir__, "test_env_keys.rb"), "--exclude", exclude)
      assert_match(/^[1-9]\d+ runs, \d+ assertions, 0 failures, 0 errors, 0 skips$/, out)
    end
  end

  def run_in(dir, *command)
    out, status = Open3.capture2e(NO_SSL, *command, chdir: dir)
    assert status.success?, "#{command.join(" ")}\n#{out}"
    out
  end
end
