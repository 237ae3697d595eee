# frozen_string_literal: true

# Gems that root installs stay out of the packaged folders, and their programs
# out of /usr/bin; the packaged gems are found all the same.
class << Gem
  packaged = Gem.default_dir
  define_method(:default_specifications_dir) { File.join(packaged, "specifications", "default") }
  define_method(:default_dir) { "/usr/local/lib/ruby#{RbConfig::CONFIG["ruby_version"][/\A\d+\.\d+/]}/gems" }
  define_method(:default_bindir) { "/usr/local/bin" }
  define_method(:default_path) { [user_dir, default_dir, packaged] }
end
