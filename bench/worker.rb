# frozen_string_literal: true

# worker.rb ROW TURNS WARM-UP [peer]: one run of a row, in a process of its own,
# by the Ruby under test.  Prints CPU seconds, objects, GC runs, the kB that
# the loop left in memory, the process's peak kB and its result's checksum.
# The driver reads the rows from here too.
module Bench
  # block: does the set-up and hands back a lambda that does the given number
  # of turns and returns what both sides must agree on.
  Row = Struct.new(:name, :group, :turns, :options, :block)
  ROWS = {}
  @group = nil

  # The rows of one group, in their order.
  def self.group(name)
    @group = name
    yield
  end

  # Options: gem: the group of bench/gems that it needs; peer: true where the
  # other side is not the stock package but a peer on the patched Ruby; show:
  # a row of README and of a quick run; quick: turns of that; instructions:
  # turns under callgrind; yjit: a second row with YJIT; retained: true where
  # the memory that stays is what counts, not the time.
  def self.row(name, turns, **options, &block)
    ROWS[name] = Row.new(name, @group, turns, options, block)
    yjit = options.delete(:yjit)
    return unless yjit
    shown = options.slice(:show).merge(options.key?(:quick) ? { quick: nil } : {})
    ROWS["#{name}, YJIT"] = Row.new("#{name}, YJIT", @group, turns, options.merge(shown, yjit: true), block)
  end

  # Ruby's own libraries are first in the path of an unpacked Ruby.
  def self.gem_first(name) = $LOAD_PATH.unshift(*Dir["#{ENV["GEM_HOME"]}/gems/#{name}-[0-9]*/lib"])

  %w[strings puma macro kept].each { |file| require_relative "rows/#{file}" }

  def self.memory(field) = File.read("/proc/self/status")[/^#{field}:\s*(\d+)/, 1].to_i

  def self.work(name, turns, warm_up, peer)
    loop = ROWS.fetch(name).block.call(peer)
    loop.call(warm_up) if warm_up > 0
    GC.start
    rss, objects, gc = memory("VmRSS"), GC.stat(:total_allocated_objects), GC.count
    start = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    result = loop.call(turns)
    cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - start
    objects, gc = GC.stat(:total_allocated_objects) - objects, GC.count - gc
    # Under callgrind, where two runs differ by their turns alone.
    exit!(true) if warm_up == 0
    peak = memory("VmHWM")
    GC.start
    retained = memory("VmRSS") - rss
    require "zlib"
    puts [cpu, objects, gc, retained, peak, Zlib.crc32(Marshal.dump(result))].join(" ")
  end
end

Bench.work(ARGV[0], Integer(ARGV[1]), Integer(ARGV[2]), ARGV[3] == "peer") if $PROGRAM_NAME == __FILE__
