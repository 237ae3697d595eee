# frozen_string_literal: true

# What slices do to memory: these take much, so they come last.
module Bench
  group("kept slices") do
    SIZES.each do |size|
      parents(size).each do |name, parent|
        next unless parent
        # A hundred thousand fresh parents of 6 KB would fill a small machine.
        fresh = name == "fresh long"
        alive = fresh && size > 1000 ? 10_000 : 100_000
        row("#{alive} alive, tail of #{size} bytes, #{name} parent", (fresh ? 5 : 10) * alive, instructions: alive,
            show: [24, 400].include?(size) && name == "frozen") { slice_loop(parent, -size, size, alive) }
      end
    end
  end

  group("memory that stays") do
    row("200 parents of 1 MB, last 100 bytes kept", 200, retained: true, show: true, quick: 200) do
      # In a method of its own, since the last parent must not stay on the stack.
      def self.tail = ("a" * 1_000_000).byteslice(-100, 100)
      lambda { |n| Array.new(n) { tail } }
    end
  end
end
