# frozen_string_literal: true

# report.rb FOLDER [README]: results.md and ratios.svg from FOLDER/results.json,
# and README's part between its two marks.  No figure comes from elsewhere; those
# of FOLDER/pgo, profile-guided packages against the same stock, stand beside.
require "json"

module Bench
  # What can be said of pairs: each gives one ratio, so that what disturbs the
  # machine for longer than a pair falls out.
  module Statistics
    module_function

    def median(values)
      sorted = values.sort
      (sorted[(sorted.size - 1) / 2] + sorted[sorted.size / 2]) / 2.0
    end

    # The sign test's interval: the k-th smallest and largest values hold the
    # median between them with at least 95 %, whatever the distribution, as
    # long as less than k of N fair coins are heads in at most 2.5 % (David and
    # Nagaraja, Order Statistics, 7.1).  Nine values: the second and the eighth,
    # 96.1 %.  Less than six have no such interval.
    def interval(values)
      n = values.size
      below = 0r
      k = (0..n).find { |i| (below += Rational(binomial(n, i), 2**n)) > 25/1000r }
      k.zero? ? nil : values.sort.values_at(k - 1, n - k)
    end

    def binomial(n, k) = (1..k).inject(1) { |product, i| product * (n - k + i) / i }
    def geometric_mean(values) = Math.exp(values.sum { |value| Math.log(value) } / values.size)
  end

  class Report
    include Statistics
    attr_reader :lines

    # How a row compares: above 1.00 the patched side is better.
    Line = Struct.new(:name, :group, :shown, :ratio, :low, :high, :instructions, :objects, :gc, :memory)

    def initialize(results, profiled = nil)
      @results = results
      @lines = results["rows"].map { |row| line(row) }
      @profiled = Report.new(profiled) if profiled
    end

    def line(row)
      patched, stock = row["patched"], row["stock"]
      line = Line.new(row["name"], row["group"], row["shown"])
      if row["retained"]
        line.memory = change(stock["retained"], patched["retained"]) { |kb| "#{kb} kB" }
        return line
      end
      ratios = stock["cpu"].zip(patched["cpu"]).map { |theirs, ours| theirs / ours }
      line.ratio = median(ratios)
      line.low, line.high = interval(ratios)
      line.instructions = stock["instructions"].fdiv(patched["instructions"]) if patched["instructions"]
      line.objects = change(stock["objects"], patched["objects"]) { |count| short(count.fdiv(row["turns"])) }
      line.gc = change(stock["gc"], patched["gc"], &:to_s)
      line.memory = change(stock["peak"], patched["peak"]) { |kb| format("%.1f MB", kb / 1024.0) }
      line
    end

    def change(stock, patched) = [yield(stock), yield(patched)].uniq.join(" → ")
    def short(number) = number >= 100 ? number.round.to_s : format("%.2f", number).delete_suffix(".00")

    def about
      r = @results
      partial = " A quick run or some rows alone." if r["partial"]
      profiled = " With the profile: #{@profiled.measured}." if @profiled
      sides = %w[patched stock].map { |side| "#{side}: #{r[side]["packages"].join(", ")} (`#{r[side]["version"]}`)" }
      "Measured on #{measured}, #{r["pairs"]} pairs a row.#{partial}#{profiled}\n\n#{sides.map { |side| "- #{side}" }.join("\n")}\n"
    end

    def measured = "#{@results["date"]}, #{@results["cpu"]}"

    HEAD = ["row", "CPU time", "95 %", "instructions", "objects a turn", "GC runs", "peak memory"].freeze
    def table(lines)
      head = @profiled ? HEAD.dup.insert(3, "with the profile", "95 %") : HEAD
      cells = lines.map do |l|
        with = time(profiled(l)) if @profiled
        [l.name, *time(l), *with, l.instructions && "%.2fx" % l.instructions, l.objects, l.gc, l.memory].map { |cell| cell || "-" }
      end
      [head, ["---"] * head.size, *cells].map { |row| "| #{row.join(" | ")} |\n" }.join
    end

    def profiled(line) = @profiled&.lines&.find { |other| other.name == line.name }
    def time(line) = [line&.ratio && "%.2fx" % line.ratio, line&.low && "%.2f to %.2f" % [line.low, line.high]]

    def means
      macro = @lines.select { |l| l.group == "macro" }
      with, without = macro.partition { |l| l.name.end_with?(", YJIT") }
      parts = { "without YJIT" => without, "with" => with }.reject { |_, lines| lines.empty? }
      return "" if parts.empty?
      "Geometric mean of the macro rows: " +
        parts.map { |name, lines| "%.2fx %s" % [geometric_mean(lines.map(&:ratio)), name] }.join(", ") + ".\n" +
        (@profiled ? "With the profile: #{@profiled.means.sub(/\A[^:]*: /, "")}" : "")
    end

    def left_out
      return "" if @results["left_out"].empty?
      "Left out:\n\n#{@results["left_out"].map { |row| "- #{row["name"]}: #{row["reason"]}" }.join("\n")}\n"
    end

    LEGEND = <<~TEXT
      CPU time and instructions: stock divided by patched, above 1.00x the patched
      packages are faster; in rows "against" another parser or the floor, that one
      on the patched Ruby takes the place of stock. CPU time is the median of the
      pairs' ratios, with its sign-test interval (order statistics; it holds for
      any distribution). A few per cent cannot be told from the layout of code:
      there the instructions count (callgrind, start-up subtracted). Objects, GC
      runs and peak memory: stock → patched, one figure where they are equal.
    TEXT
    PROFILED = <<~TEXT
      With the profile: the patched Ruby is compiled by that of a training run, the
      stock Ruby is the same.
    TEXT

    def legend = @profiled ? LEGEND + PROFILED : LEGEND

    def markdown
      groups = @lines.group_by(&:group).map { |name, lines| "## #{name}\n\n#{table(lines)}" }
      ["# Benchmarks\n", about, legend, means, left_out, *groups].reject(&:empty?).join("\n")
    end

    def readme(chart)
      ["![CPU time, stock divided by patched](#{chart})\n", table(@lines.select(&:shown)), means, left_out, about, legend]
        .reject(&:empty?).join("\n")
    end

    # Text goes to gnuplot as data: nothing in a name is a command there.
    def gnuplot(svg)
      lines = @lines.select { |l| l.shown && l.ratio }
      data = lines.each_with_index.map do |l, i|
        ["\"#{l.name.tr('"\\', "")}\"", l.ratio, l.low || l.ratio, l.high || l.ratio, i, profiled(l)&.ratio || "NaN"].join(" ")
      end
      <<~PLOT
        $rows << END
        #{data.join("\n")}
        END
        set terminal svg size 900,#{90 + 22 * lines.size} font "sans-serif,12" background "white"
        set output "#{svg}"
        set title "CPU time, stock divided by patched#{"; dots: with the profile" if @profiled} (#{@results["date"]})" noenhanced
        set yrange [#{lines.size - 0.5}:-0.5]
        set xrange [0:*]
        set ytics noenhanced scale 0
        set grid xtics front
        set style fill solid 0.7 noborder
        set arrow from 1, graph 0 to 1, graph 1 nohead lw 2 lc rgb "#333333" front
        unset key
        plot $rows using ($2/2):5:($2/2):(0.35):ytic(1) with boxxyerror lc rgb "#4a7ab5", \\
          "" using 2:5:3:4 with xerrorbars pt 0 lw 1.5 lc rgb "#1a1a1a", \\
          "" using 6:5 with points pt 7 ps 0.7 lc rgb "#c05020"
      PLOT
    end

    def write(folder)
      File.write("#{folder}/results.md", markdown)
      return if @lines.none? { |l| l.shown && l.ratio }
      IO.popen("gnuplot", "w") { |gnuplot| gnuplot.write(gnuplot("#{folder}/ratios.svg")) }
      abort "report: gnuplot failed" unless $?.success?
    end

    def write_readme(file, chart)
      abort "report: a part is not for #{file}; run make bench without QUICK and ROWS" if @results["partial"]
      marks = /(<!-- bench -->\n).*(<!-- end of bench -->)/m
      text = File.read(file)
      abort "report: #{file} has no marks for the benchmarks" unless text.match?(marks)
      File.write(file, text.sub(marks) { "#{$1}\n#{readme(chart)}\n#{$2}" })
    end
  end
end

if $PROGRAM_NAME == __FILE__
  folder, readme = ARGV
  file = "#{folder}/results.json"
  profiled = "#{folder}/pgo/results.json"
  begin
    report = Bench::Report.new(JSON.parse(File.read(file)), (JSON.parse(File.read(profiled)) if File.exist?(profiled)))
  rescue SystemCallError, JSON::ParserError, NoMethodError
    abort "report: #{file} is missing or holds no results; run make bench"
  end
  report.write_readme(readme, "#{File.basename(folder)}/ratios.svg") if readme
  report.write(folder)
end
