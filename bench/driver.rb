# frozen_string_literal: true

# driver.rb FOLDER: runs the rows on FOLDER/patch and FOLDER/stock in turn, as
# build-aux/bench made them, and writes results there.  The benchmark_driver
# gem takes several Rubies, but neither alternates them pair by pair nor counts
# CPU time, objects and memory in the process.
require "open3"
require_relative "worker"
require_relative "report"

module Bench
  class Driver
    PAIRS = 9
    FIELDS = %w[cpu objects gc retained peak digest].freeze
    # Seconds, after which a run that hangs ends.
    LIMIT = "900"

    # The shown rows, which README has; all: every row; quick: the shown ones
    # without YJIT, short, without instructions; only: those whose names match.
    def initialize(folder, all, quick, only)
      @folder, @all, @quick, @only = folder, all, quick, only
      @left_out = []
    end

    def run
      rows = ROWS.values.select { |row| wanted?(row) && possible?(row) }
      abort "bench: no row to run#{": #{@left_out[0]["reason"]}" if @left_out.any?}" if rows.empty?
      done = rows.each_with_index.map do |row, i|
        result = pairs(row)
        result = instructions(row, result) unless @quick || row.options[:yjit] || row.options[:retained]
        line = Report.new({ "rows" => [result] }).lines.first
        puts "bench: %d/%d %s: %s" % [i + 1, rows.size, row.name, line.ratio ? "%.2fx, %.2f to %.2f" % line.to_a[3, 3] : line.memory]
        result
      end
      results = { "date" => Time.now.utc.strftime("%Y-%m-%d"), "cpu" => File.read("/proc/cpuinfo")[/^model name\s*: (.*)/, 1] || RbConfig::CONFIG["arch"],
                  "pairs" => PAIRS, "partial" => @quick || !@only.empty?, "patched" => about("patch"), "stock" => about("stock"),
                  "left_out" => @left_out, "rows" => done }
      text = "{\n" + results.map { |key, value| "#{key.to_json}: #{rows_json(value)}" }.join(",\n") + "\n}\n"
      File.write("#{@folder}/results.json", text)
      Report.new(results).write(@folder)
      @left_out.each { |row| puts "bench: left out: #{row["name"]}: #{row["reason"]}" }
    end

    private

    # A line for each row, for the sake of diffs.
    def rows_json(value) = value.is_a?(Array) ? "[\n#{value.map(&:to_json).join(",\n")}\n]" : value.to_json

    def about(side)
      packages = File.readlines("#{@folder}/#{side}/packages", chomp: true).grep(/\Aruby[\d.]+(-puma)? |\Apuma /)
      { "version" => File.read("#{@folder}/#{side}/version").chomp, "packages" => packages }
    end

    def wanted?(row)
      return row.name.match?(@only) && row.options[:show] && !row.options[:yjit] if @quick
      @only.empty? ? @all || row.options[:show] : row.name.match?(@only)
    end

    def possible?(row)
      reason = sides(row).uniq.filter_map { |side| missing(row, side) }.first
      @left_out << { "name" => row.name, "reason" => reason } if reason
      !reason
    end

    def missing(row, side)
      failed = "#{@folder}/#{side}/gems/#{row.options[:gem]}.failed"
      return "#{side}: #{File.read(failed).lines.first.chomp}" if row.options[:gem] && File.exist?(failed)
      "the #{side} Ruby has no YJIT" if row.options[:yjit] && !yjit?(side)
    end

    def yjit?(side)
      (@yjit ||= {}).fetch(side) do
        @yjit[side] = Open3.capture2e("#{@folder}/#{side}/ruby", "--yjit", "-e", "print RubyVM::YJIT.enabled?").first == "true"
      end
    end

    # The roots of what stands under patched and stock in the result.
    def sides(row) = ["patch", row.options[:peer] ? "patch" : "stock"]

    def work(row, as, turns, warm_up, under = "")
      side = sides(row)[as == "patched" ? 0 : 1]
      options = ["--disable-gems"] unless row.options[:gem]
      options = [*options, "--yjit"] if row.options[:yjit]
      peer = ["peer"] if row.options[:peer] && as == "stock"
      out, err, status = Open3.capture3({ "RUN_UNDER" => under }, "timeout", LIMIT, "#{@folder}/#{side}/ruby", *options,
                                        "#{__dir__}/worker.rb", row.name, turns.to_s, warm_up.to_s, *peer)
      return [out, err] if status.success?
      abort "bench: #{row.name}: #{peer ? "the peer" : as} failed (#{status.exitstatus || "signal #{status.termsig}"}): " \
            "#{status.exitstatus == 124 ? "it ran for #{LIMIT} s" : err.lines.grep_v(/^(==|\s*$)/).first.to_s.chomp}"
    end

    def pairs(row)
      turns = @quick ? row.options[:quick] || [row.turns / 5, 1].max : row.turns
      runs = { "patched" => [], "stock" => [] }
      PAIRS.times do |i|
        # Who goes first changes, since it may matter.
        runs.keys.rotate(i).each do |as|
          runs[as] << FIELDS.zip(work(row, as, turns, [turns / 5, 1].max).first.split.map { |v| v.include?(".") ? v.to_f : v.to_i }).to_h
        end
        digests = runs.values.flatten.map { |run| run["digest"] }.uniq
        abort "bench: #{row.name}: the two sides give different results" if digests.size > 1
      end
      { "name" => row.name, "group" => row.group, "shown" => !!row.options[:show], "turns" => turns,
        **(row.options[:retained] ? { "retained" => true } : {}), **runs.transform_values { |all| summary(all) } }
    end

    # CPU time of each run, since the ratios are those of pairs; else medians.
    def summary(runs)
      { "cpu" => runs.map { |run| run["cpu"].round(6) } }
        .merge((FIELDS - %w[cpu digest]).to_h { |field| [field, Statistics.median(runs.map { |run| run[field] }).round] })
    end

    def instructions(row, result)
      turns = row.options[:instructions] || [row.turns / 10, 1].max
      %w[patched stock].each do |as|
        with, without = [turns, 0].map do |n|
          err = work(row, as, n, 0, "valgrind --tool=callgrind --callgrind-out-file=/dev/null").last
          Integer(err[/Collected : (\d+)/, 1] || abort("bench: #{row.name}: callgrind counted nothing"))
        end
        result[as]["instructions"] = with - without
      end
      result
    end
  end
end

$stdout.sync = true
trap("INT", "SYSTEM_DEFAULT")
given = ->(name) { !ENV[name].to_s.empty? }
Bench::Driver.new(ARGV.fetch(0), given["ALL"], given["QUICK"], ENV["ROWS"].to_s).run
