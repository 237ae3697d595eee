# frozen_string_literal: true

# Slices of strings by size and parent, what a program makes of them, and a
# control row without any.
module Bench
  SIZES = [10, 24, 55, 64, 100, 135, 136, 231, 295, 296, 400, 615, 616, 5000].freeze
  SHOWN = [24, 231].freeze

  # How the parent of a slice is made, once and for each slice.
  def self.parents(size)
    long = size < 1000 ? 700 : size + 1000 # too long to be embedded
    {
      "embedded" => size + 20 <= 615 && ["'a' * #{size + 20}"],
      "fresh long" => ["'a' * #{long - 1}", "base + 'b'"],
      "reused long" => ["'a' * 20_000"],
      "frozen" => ["('a' * 20_000).freeze"],
      "shared" => ["('a' * 20_000).freeze.dup"],
    }
  end

  # The loop as text, so that a turn is little more than the slice.  A negative
  # offset is a tail slice.  Of kept slices the last ALIVE stay in memory.
  def self.slice_loop(parent, offset, size, alive = nil)
    once, fresh = parent
    slice = "#{"pa = #{fresh}; " if fresh}s = pa.byteslice(#{offset}, #{size})"
    eval <<~RUBY, binding, __FILE__, __LINE__ + 1
      base = pa = #{once}
      keep = Array.new(#{alive.to_i})
      lambda do |n|
        s = nil
        i = 0
        while i < n
          j = 0
          while j < #{alive || 10}
            #{(["#{slice}#{"; keep[j] = s" if alive}; j += 1"] * 10).join("\n")}
          end
          i += j
        end
        s
      end
    RUBY
  end

  group("control") do
    # optcarrot is no gem; this has floats, integers, arrays and no string.
    row("Mandelbrot set and sieve", 5, yjit: true, show: true) do
      lambda do |n|
        inside = primes = nil
        n.times do
          inside = 0
          90.times do |y|
            90.times do |x|
              cr, ci, zr, zi, i = x / 45.0 - 1.5, y / 45.0 - 1.0, 0.0, 0.0, 0
              while i < 50 && zr * zr + zi * zi < 4.0
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                i += 1
              end
              inside += 1 if i == 50
            end
          end
          sieve = Array.new(300_000, true)
          2.upto(547) { |i| (i * i).step(299_999, i) { |j| sieve[j] = false } if sieve[i] }
          primes = sieve.count(true) - 2
        end
        [inside, primes]
      end
    end
  end

  group("slices") do
    SIZES.each do |size|
      parents(size).each do |name, parent|
        next unless parent
        row("tail of #{size} bytes, #{name} parent", name == "fresh long" ? 700_000 : 2_000_000,
            show: SHOWN.include?(size) && name != "shared") { slice_loop(parent, -size, size) }
      end
    end
    SIZES.each do |size|
      row("middle of #{size} bytes, frozen parent", 2_000_000, show: size == 100) do
        slice_loop(parents(size)["frozen"], 7, size)
      end
    end
  end

  group("text") do
    line = "2026-11-30T12:00:00.123456Z host-17 worker[4711]: " \
           "GET /articles/2026/11/a-title-of-some-length?page=2 200 18.4ms user=somebody@example.org"
    row("StringScanner, a log line by words", 30_000, show: true) do
      require "strscan"
      lambda do |n|
        words = nil
        n.times do
          scanner, words = StringScanner.new(line), []
          words << (scanner.scan(/\w+/) || scanner.scan(/\W+/)) until scanner.eos?
        end
        words
      end
    end
    row("CSV.parse, 100 lines of 8 fields", 200, gem: "csv", show: true) do
      gem_first("csv")
      require "csv"
      csv = Array.new(100) { |i| [i, "name #{i}", line[0, 30], line[30, 24], "a,b", i * 1.5, "", line[50..]].to_csv }.join
      lambda { |n| rows = nil; n.times { rows = CSV.parse(csv) }; rows }
    end
    row("each_line and chomp, 1,000 log lines", 200, show: true) do
      log = Array.new(1000) { |i| "#{i} #{line}\n" }.join
      lambda { |n| last = nil; n.times { log.each_line { |l| last = l.chomp } }; last }
    end
    row("split on a comma, 20 fields", 50_000, show: true) do
      fields = Array.new(20) { |i| line[i * 3, 10 + i * 2] }.join(",")
      lambda { |n| all = nil; n.times { all = fields.split(",") }; all }
    end
    row("URI.parse", 20_000, show: true) do
      require "uri"
      uri = "https://user@example.org:8443/articles/2026/11/a-title-of-some-length?page=2&order=newest#comments"
      lambda { |n| parsed = nil; n.times { parsed = URI.parse(uri) }; parsed.to_s }
    end
  end
end
