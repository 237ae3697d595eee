# Random programs on strings, to hold two Rubies of one release against each
# other: what they print must be the same.
#
#   slices.rb run SEED COUNT     COUNT programs: "SEED DIGEST" of each, or
#                                "SEED crashed: REASON"; then the number of lines
#                                that made a slice
#   slices.rb show SEED          the text of one
#   slices.rb replay FILE        what each line of a program left behind
#   slices.rb shrink SEED A B    the shortest program on which the Rubies A and B
#                                differ (commands, with their options), and how
#
# A program is lines of Ruby on the array v of eight strings.  After each line
# every string is looked at: bytes, encoding, code range, class, frozen, the
# terminator.  -I must name the folder of embed_probe.so (extconf.rb in
# tests/embed).
require "digest"
require "open3"
require "stringio"
require "strscan"
require "tempfile"
require "embed_probe"

module Slices
  # Lengths at and beside the limits of the slots, for terminators of one to four
  # bytes, and some in between; bytes.
  LENGTHS = [0, 1, 2, 3, 7, 8, 15, 16, 17, 23, 24, 25, 54, 55, 56, 57, 63, 64, 65, 100, 132, 134, 135, 136, 137,
             200, 228, 230, 231, 232, 233, 292, 294, 295, 296, 297, 400, 612, 614, 615, 616, 617, 639, 640, 641, 1000, 5000].freeze
  ENCODINGS = %w[UTF-8 UTF-8 UTF-8 ASCII-8BIT US-ASCII ISO-8859-1 EUC-JP Shift_JIS UTF-16LE UTF-16BE UTF-32LE].freeze

  class Sub < String; end

  # The pieces of a program's lines.
  class Writer
    def initialize(seed)
      @random = Random.new(seed)
    end

    def pick(list) = list[@random.rand(list.size)]
    def n(limit) = @random.rand(limit)
    def length = @random.rand(3) == 0 ? n(700) : pick(LENGTHS)
    def v = "v[#{n(8)}]"
    def piece = pick(["a", "é", " ", ",", "\n", "\\", "ab", ", ", ";", "  ", "日", "x="]).inspect

    # A new string.  text() is the executor's.
    def source
      base = "text(#{n(1 << 30)}, #{length}, #{pick(ENCODINGS).inspect})"
      case n(14)
      when 0 then "#{base}.freeze"
      when 1 then "-#{base}"
      when 2 then "Slices::Sub.new(#{base})"
      when 3 then "(#{base} * #{1 + n(30)})"
      when 4 then "(#{base} * #{1 + n(30)}).freeze"
      when 5 then "#{base}.tap { |s| s.instance_variable_set(:@x, s.dup) }"
      when 6 then "#{base}.tap { |s| def s.own = 1 }"
      when 7 then "(+'').concat(#{base})"
      when 8 then "text(#{n(1 << 30)}, #{20_000 + n(100_000)}, 'UTF-8')"
      else base
      end
    end

    # An expression that makes one or more slices of a string; the first 20 kinds
    # allocate little.
    def slice(kinds = 50)
      s = v
      case n(kinds)
      when 0..5 then "tail(#{s}, #{length})"
      when 6..8 then "subseq(#{s}, #{length}, #{length})"
      when 9 then "EmbedProbe.substr(#{s}, #{n(700) - 350}, #{length})"
      when 10..12 then "#{s}.byteslice(#{n(900) - 450}, #{length})"
      when 13, 14 then "#{s}[#{n(900) - 450}, #{length}]"
      when 15 then "#{s}[#{n(300)}..]"
      when 16 then "#{s}[-#{1 + length}..]"
      when 17 then "#{s}[..-#{1 + length}]"
      when 18 then "#{s}.slice!(#{n(400) - 200}, #{length})"
      when 19 then "#{s}.byteslice(#{n(300)}..)"
      when 20 then "#{s}.split(#{piece}, #{n(6) - 1}).last"
      when 21 then "#{s}.split(#{pick(["' '", "','", "/[,;]/", "nil", "'é'", "'日'", "''"])}).values_at(0, 1, -1).compact.join('|')"
      when 22 then "#{s}.partition(#{piece}).last"
      when 23 then "#{s}.rpartition(#{piece})[#{n(3)}]"
      when 24 then "#{s}.scan(/[^, ]+/).last"
      when 25 then "#{s}.each_line#{pick(["", "(chomp: true)", "(',')", "('')"])}.to_a.last"
      when 26 then "#{s}.lines.first"
      when 27 then "#{s}.chars.last(#{1 + n(3)}).join"
      when 28 then "#{s}.each_grapheme_cluster.first(3).last"
      when 29 then "#{s}.delete_prefix(#{s}[0, #{n(20)}].to_s)"
      when 30 then "#{s}.delete_suffix(#{s}[-#{1 + n(20)}..].to_s)"
      when 31 then "#{s}.lstrip"
      when 32 then "#{s}.#{pick(%w[rstrip strip chomp chop succ reverse downcase swapcase])}"
      when 33 then "(#{s}.match(/[^ ,]{1,#{1 + n(300)}}/) || [''])[0]"
      when 34 then "#{s}.match(/,/)&.#{pick(%w[pre_match post_match])}"
      when 35 then "StringScanner.new(#{s}).then { |x| x.scan_until(/[, ]/); x.rest }"
      when 36 then "StringScanner.new(#{s}).then { |x| x.getch; [x.peek(#{n(200)}), x.get_byte].join }"
      when 37 then "StringScanner.new(#{s}).then { |x| x.scan(/[^,]{0,#{1 + n(400)}}/); [x.matched, x.post_match].compact.join('|') }"
      when 38 then "StringIO.new(#{s}.to_s).then { |x| x.read(#{n(100)}); x.#{pick(["read", "gets", "read(#{length})", "gets(',')", "readlines.last"])} }"
      when 39 then "#{s}.unpack('a#{n(300)}a*').last"
      when 40 then "#{s}.unpack1('@#{n(40)}a#{length}')"
      when 41 then "pipe_lines(#{s}).last"
      when 42 then "#{s}.each_char.to_a.values_at(0, -1).join"
      when 43 then "#{s}.byteindex(#{piece}).then { |i| i && #{s}.byteslice(i..) }"
      when 44 then "#{s}.bytesplice(#{n(20)}, #{n(20)}, #{piece})"
      when 45 then "#{s}.sub(/[, ].*/m, '')"
      when 46 then "#{s}.tr(',', ';')[-#{1 + length}..]"
      when 47 then "tail(tail(#{s}, #{length}), #{length})"
      when 48 then "#{s}.slice(/[^,]+\\z/)"
      else "String.new(#{s}).byteslice(#{length}, #{length})"
      end
    end

    # A line that changes a string, or takes it elsewhere.
    def change
      s = v
      case n(46)
      when 0 then "#{s} << #{piece}"
      when 1 then "#{s} << #{v}.byteslice(0, 700).to_s"
      when 2 then "#{s}[#{n(100)}, #{n(50)}] = #{piece}"
      when 3 then "#{s}.setbyte(#{n(300)}, #{n(256)})"
      when 4 then "#{s}.insert(#{n(50)}, #{piece})"
      when 5 then "#{s}.replace(#{v})"
      when 6 then "#{s}.clear"
      when 7 then "#{s}.upcase!"
      when 8 then "#{s}.force_encoding(#{pick(ENCODINGS).inspect})"
      when 9 then "#{s} = #{s}.encode('UTF-8', invalid: :replace, undef: :replace)"
      when 10 then "#{s}.freeze"
      when 11 then "#{s} = #{v}.dup"
      when 12 then "#{s} = #{v}.clone#{pick(["", "(freeze: true)", "(freeze: false)"])}"
      when 13 then "#{s} = -#{v}"
      when 14 then "#{s} = +#{v}"
      when 15 then "#{s} = #{v}.to_sym.name"
      when 16 then "#{s} = { #{v} => 1 }.keys[0]"
      when 17 then "#{s} = Marshal.load(Marshal.dump(#{v}.b))"
      when 18 then "#{s} = Ractor.make_shareable(#{v}.dup)"
      when 19 then "#{s}.instance_variable_set(:@y, #{v})"
      when 20 then "def (#{s}).other = 2"
      when 21 then "#{s} = Slices::Sub.new(#{v})"
      when 22 then "EmbedProbe.resize(#{s}, #{length})"
      when 23 then "EmbedProbe.set_len(#{s}, #{n(300)})"
      when 24 then "EmbedProbe.locked(#{s}) { #{change_locked(s)} }"
      when 25 then "EmbedProbe.held(#{s}) { v[#{n(8)}] = tail(#{s}, #{length}); GC.#{pick(%w[start start start compact])} }"
      when 26 then "#{s} = #{v} + #{v}.byteslice(0, 300).to_s"
      when 27 then "#{s} = #{v} * #{n(3)}"
      when 28 then "#{s}.concat(#{s}.byteslice(0, 500).to_s)"
      when 29 then "#{s} = \"\#{#{v}}\#{#{v}.byteslice(0, 200)}\""
      when 30 then "#{s} = #{v}.b"
      when 31 then "#{s} = #{v}.scrub"
      when 32 then "#{s}.prepend(#{piece})"
      when 33 then "#{s}.squeeze!"
      when 34 then "#{s}.unicode_normalize!"
      when 35 then "#{s}.gsub!(',', '、')"
      when 36 then "#{s} = String(#{v}.itself).to_str"
      when 37 then "#{s}.append_as_bytes(#{v}.byteslice(0, 40))"
      when 38 then "#{s}.succ!"
      when 39 then "#{s}.hash == #{v}.hash"
      when 40 then "#{s} <=> #{v}"
      when 41 then "#{s}.chomp!(#{piece})"
      when 42 then "#{s}.valid_encoding?; #{s}.ascii_only?"
      else "#{s} = #{source}"
      end
    end

    def change_locked(s) = pick(["#{s} << 'x'", "v[#{n(8)}] = tail(#{s}, #{length})", "#{s}.clear", "#{s}.freeze"])

    # The lines; each makes its own mess of the collector.
    def program
      lines = Array.new(8) { |i| "v[#{i}] = #{source}" }
      (20 + n(20)).times do
        lines << case n(40)
                 when 0..25 then "v[#{n(8)}] = #{slice}"
                 when 26..37 then change
                 when 38 then pick(["GC.start", "GC.start(full_mark: false)", *(["GC.compact"] if n(4) == 0)])
                 else n(2) == 0 ? "stressed { v[#{n(8)}] = #{slice(20)} }" : "v[#{n(8)}] = #{slice}"
                 end
      end
      lines
    end

    # What holds for a whole program: one in 16 moves objects at each collection.
    def compacts? = n(32) == 0
    def verifies? = n(64) == 0
  end

  # Runs a program's lines and tells what each left.
  class Runner
    attr_reader :v

    def initialize(compacts, verifies)
      @v = Array.new(8) { +"" }
      @compacts = compacts
      @verifies = verifies
    end

    # `length` bytes or one character more, the same each time.
    def text(seed, length, encoding)
      random = Random.new(seed)
      words = random.rand(3) == 0 ? ["alpha", "beta,", "gamma ", ";", "x=y", "\n"] : ["é", "日本", "ab,c", "zß", ";", " ", "\n", "q\r\n"]
      out = +""
      out << words[random.rand(words.size)] while out.bytesize < length
      encoding = Encoding.find(encoding)
      return out.byteslice(0, length).force_encoding(encoding) if random.rand(5) == 0 # may be broken
      out.encode(encoding, undef: :replace).byteslice(0, (length + 3) / 4 * 4).force_encoding(encoding) + "".encode(encoding)
    end

    def tail(string, length)
      length = string.bytesize if length > string.bytesize
      subseq(string, string.bytesize - length, length)
    end

    # One that cuts a character gets the source's code range, since C code must
    # not ask for such: setbyte then sees it or not, as in look.  So it is cleared.
    def subseq(string, from, length)
      EmbedProbe.subseq(string, from, length).force_encoding("BINARY").force_encoding(string.encoding)
    end

    def pipe_lines(string)
      IO.pipe do |reader, writer|
        writer.binmode << string.byteslice(0, 4000).b
        writer.close
        reader.each_line(chomp: true).to_a
      end
    end

    def stressed
      GC.stress = true
      yield
    ensure
      GC.stress = false
    end

    def result_of(line)
      instance_eval(line)
      nil
    rescue StandardError, NotImplementedError => e
      "#{e.class}: #{e.message.b.gsub(/0x\h+/n, "0x")[0, 200]}"
    end

    # A string as this Ruby sees it.  Its code range may be unknown in one and
    # known in another (setbyte keeps it for strings that are not embedded), but
    # what is known must be right: it is that of a copy, found out anew.
    def look(string)
      return [string.class.name, string.inspect] unless String === string
      known = EmbedProbe.code_range(string)
      range = EmbedProbe.code_range(string.b.force_encoding(string.encoding).tap(&:valid_encoding?))
      [string.b, string.length, string.encoding.name, range, [0, range].include?(known), string.valid_encoding?, string.ascii_only?, string.frozen?, string.class.name,
       EmbedProbe.terminated?(string, 1), string.instance_variables.size, string.singleton_methods.size, string.hash == string.dup.hash]
    end

    def run(lines)
      GC.auto_compact = @compacts
      lines.each do |line|
        failure = result_of(line)
        yield line, failure, @v.map { |s| look(s) }
      end
      GC.verify_internal_consistency if @verifies
    ensure
      GC.auto_compact = false
    end
  end

  module_function

  def make(seed)
    writer = Writer.new(seed)
    [writer.program, writer.compacts?, writer.verifies?]
  end

  def programs(seeds, out)
    seeds.each do |seed|
      lines, compacts, verifies = make(seed)
      digest = Digest::SHA256.new
      Runner.new(compacts, verifies).run(lines) { |_, failure, states| digest << failure.to_s.b << states.flatten.join("\0").b }
      out.puts "#{seed} #{digest.hexdigest[0, 32]} #{lines.grep(/\A(stressed \{ )?v\[\d\] = (?!-?\(?text)/).size}"
    end
  end

  # Programs run in a child, which may abort: the next one goes on after it.
  def run(seed, count)
    slices = 0
    last = seed + count
    while seed < last
      reader, writer = IO.pipe
      reports = Tempfile.new("reports")
      pid = fork do
        $stderr.reopen(reports.path)
        programs(seed...last, writer.tap { |w| w.sync = true })
        exit!(0)
      end
      writer.close
      reader.each_line do |line|
        at, digest, made = line.split
        puts "#{at} #{digest}"
        slices += Integer(made)
        seed = Integer(at) + 1
      end
      Process.wait(pid)
      break if $?.success?

      puts "#{seed} crashed: #{reports.read[/\[BUG\] (.*)/, 1] || $?.to_s.sub(/pid \d+ /, "")}"
      seed += 1
    end
    puts "slices #{slices}"
  end

  def replay(file)
    lines = File.readlines(file, chomp: true, encoding: "UTF-8").grep_v(/\A#/)
    Runner.new(true, true).run(lines) do |line, failure, states|
      puts line, "  #{failure}", *states.map { |s| "  #{Digest::SHA256.hexdigest(s.join("\0").b)[0, 12]} #{s.drop(1).inspect[0, 200]}" }
    end
  end

  def transcript(ruby, lines)
    Tempfile.create("program") do |file|
      file.write(lines.join("\n"), "\n")
      file.close
      out, status = Open3.capture2e("#{ruby} #{__FILE__} replay #{file.path}", stdin_data: "")
      status.success? ? out : "#{out}\nended: #{status}"
    end
  end

  # Leaves out ever smaller runs of lines while the two still differ.
  def shrink(seed, one, other)
    lines, = make(seed)
    differ = ->(some) { transcript(one, some) != transcript(other, some) }
    return puts("no difference in #{seed} run alone") unless differ[lines]
    size = lines.size / 2
    while size >= 1
      at = 0
      while at < lines.size
        fewer = lines[0...at] + lines[(at + size)..].to_a
        differ[fewer] ? lines = fewer : at += size
      end
      size /= 2
    end
    puts "# seed #{seed}", lines
    a, b = transcript(one, lines).lines, transcript(other, lines).lines
    first = (0...[a.size, b.size].max).find { |i| a[i] != b[i] }
    puts "# one:   #{a[first]}", "# other: #{b[first]}"
  end
end

case ARGV
in ["run", seed, count] then Slices.run(Integer(seed), Integer(count))
in ["show", seed] then puts Slices.make(Integer(seed))[0]
in ["replay", file] then Slices.replay(file)
in ["shrink", seed, one, other] then Slices.shrink(Integer(seed), one, other)
else
  warn "usage: slices.rb run SEED COUNT | show SEED | replay FILE | shrink SEED RUBY RUBY"
  exit 2
end
