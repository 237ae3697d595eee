# Tests of str_subseq(), the function behind every slice that string.c makes.
#
# ProofEmbeddedSlices: what the patch changes.  Every test in it must FAIL on a
#   stock Ruby and pass on a patched one; the packaging runs it on both.
# TestSliceBehaviour: what the patch must leave alone.  Passes on both.
#
# Expected values come from arrays of bytes, never from another slice.
require "minitest/autorun"
require "objspace"
require "stringio"
require "strscan"
require "embed_probe"

module SliceHelpers
  WORD = [0].pack("J").bytesize # sizeof(VALUE)

  # BASE_SLOT_SIZE, five words, and its doubles: gc.c (3.3), gc/default/default.c
  # (3.4).  40 to 640 bytes on 64 bits, 20 to 320 on 32.
  SLOTS = Array.new(5) { |i| (5 * WORD) << i }

  # struct RString in front of embedded bytes: flags, class and length.
  HEADER = 3 * WORD

  # Bytes of the terminator: mbminlen of the encoding.
  ENCODINGS = { 1 => Encoding::UTF_8, 2 => Encoding::UTF_16LE, 4 => Encoding::UTF_32LE }

  # The longest string that a slot can hold.
  def self.limit(slot, width) = slot - HEADER - width

  # The slot of an embedded string, nil if none is large enough.
  def self.slot_for(length, width) = SLOTS.find { |slot| length <= limit(slot, width) }

  # Each limit with its neighbours.
  def self.boundaries(width)
    SLOTS.flat_map { |slot| [-1, 0, 1].map { |d| limit(slot, width) + d } }
  end

  OVER = limit(SLOTS.last, 1) + 1 # fits no slot with any terminator

  # The lengths to cut where every one must behave alike.
  def self.lengths(width) = [0, 1, 2, 3, *boundaries(width), 231, 232, OVER, 5000]

  # ASCII characters in the encoding of that width (low byte first), cut after
  # `length` bytes.
  def self.bytes(length, width)
    Array.new(length) { |i| i % width == 0 ? 0x21 + i / width % 94 : 0 }
  end

  # An unfrozen string with these bytes and no ties to another: appending ""
  # copies, and embeds whatever fits a slot.
  def self.fresh(bytes, encoding = Encoding::UTF_8)
    bytes.pack("C*").force_encoding(encoding) + ""
  end

  # Bytes of a parent for a tail slice of `length`: whole characters, and more
  # than `longer` bytes in front.
  def self.parent_bytes(length, width, longer = 0)
    bytes((length + longer) / width * width + 2 * width, width)
  end

  # ObjectSpace.dump is the public way to a slot's size.
  def slot_size(string) = ObjectSpace.dump(string)[/"slot_size":(\d+)/, 1].to_i

  def tail(parent, length) = EmbedProbe.subseq(parent, parent.bytesize - length, length)
end

# FAILS on stock Ruby, each test: see the top of the file.
class ProofEmbeddedSlices < Minitest::Test
  include SliceHelpers

  # A stock Ruby embeds up to the smallest slot's limit.  Without its third patch
  # the series embeds up to the largest's, with it up to the one before.  231 bytes
  # is the last length in an allocation of 256 on 64 bits, the cap of later
  # upstream versions.
  ENCODINGS.each_key do |width|
    smallest, largest = SLOTS.values_at(0, 3).map { |slot| SliceHelpers.limit(slot, width) }
    lengths = SliceHelpers.boundaries(width).select { |n| n > smallest && n <= largest }
    lengths += [231, 232] if width == 1
    lengths.each do |length|
      define_method("test_#{length}_bytes_and_#{width}_of_terminator") do
        assert_embedded_tails(length, width)
      end
    end
  end

  def assert_embedded_tails(length, width)
    slot = SliceHelpers.slot_for(length, width)
    [0, SLOTS.last].each do |longer|
      bytes = SliceHelpers.parent_bytes(length, width, longer)
      slice = tail(SliceHelpers.fresh(bytes, ENCODINGS[width]), length)
      assert EmbedProbe.embedded?(slice), "#{length} of #{bytes.size} bytes not embedded"
      refute EmbedProbe.shared?(slice)
      assert_equal slot, slot_size(slice)
      assert_equal bytes.last(length), slice.bytes
      assert EmbedProbe.terminated?(slice, width)
    end
  end

  # Public methods that slice the unfrozen receiver itself.  Others first make
  # a frozen copy (matches, each_line, symbols), or never share (StringScanner).
  {
    "range" => ["head:", ->(s) { s[5..] }],
    "whole" => ["", ->(s) { s[0..] }],
    "byteslice" => ["head:", ->(s) { s.byteslice(5..) }],
    "split" => ["head:", ->(s) { s.split(":").last }],
    "split_at_blanks" => ["head ", ->(s) { s.split.last }],
    "partition" => ["head:", ->(s) { s.partition(":").last }],
    "rpartition" => ["head:", ->(s) { s.rpartition(":").last }],
    "delete_prefix" => ["head:", ->(s) { s.delete_prefix("head:") }],
    "lstrip" => ["  ", ->(s) { s.lstrip }],
    "strip" => ["  ", ->(s) { s.strip }],
    "stringio_read" => ["head:", ->(s) { StringIO.new(s).tap { |io| io.pos = 5 }.read }],
  }.each do |name, (head, slicer)|
    define_method("test_entry_#{name}") do
      tail = Array.new(SliceHelpers.limit(SLOTS[1], 1)) { |i| 0x61 + i % 26 }
      slice = slicer.(SliceHelpers.fresh(head.bytes + tail))
      assert_equal tail, slice.bytes
      assert_equal SLOTS[1], slot_size(slice)
      assert EmbedProbe.embedded?(slice)
    end
  end

  # Sharing makes a frozen root besides the slice.
  def test_one_object_for_a_slice_of_an_embedded_parent
    assert_one_object(SLOTS[2])
  end

  def test_one_object_for_a_slice_of_a_long_parent
    assert_one_object(2 * SLOTS.last)
  end

  def assert_one_object(parent_size)
    length = SliceHelpers.limit(SLOTS[1], 1)
    # The first round fills the call caches, which are objects too.
    counts = Array.new(2) do
      parent = SliceHelpers.fresh(SliceHelpers.bytes(SliceHelpers.limit(parent_size, 1), 1))
      before = GC.stat(:total_allocated_objects)
      EmbedProbe.subseq(parent, parent.bytesize - length, length)
      GC.stat(:total_allocated_objects) - before
    end
    assert_equal 1, counts.last
  end

  # 200 slices of 100 bytes keep 200 MB alive if they share (fluentd#4760),
  # about 32 kB of slots if not.  The bound leaves room for the few parents that
  # a conservative scan of the machine stack may find.
  def test_slices_let_their_large_parents_go
    GC.start
    before = ObjectSpace.memsize_of_all(String)
    slices = Array.new(200) { ("x" * (1 << 20)).byteslice(-100, 100) }
    GC.start
    kept = ObjectSpace.memsize_of_all(String) - before
    assert_equal ["x" * 100], slices.uniq
    assert_operator kept, :<, 10 << 20
  end
end

# PASSES on stock Ruby and on the whole series, where frozen and shared parents
# are left alone.  The first patch alone embeds their slices too.
class TestSharedSlices < Minitest::Test
  include SliceHelpers

  def frozen_parents_share?
    parent = SliceHelpers.fresh(SliceHelpers.bytes(5000, 1)).freeze
    EmbedProbe.shared?(tail(parent, SliceHelpers.limit(SLOTS[1], 1)))
  end

  ENCODINGS.each_key do |width|
    smallest, second_largest = SLOTS.values_at(0, 3).map { |slot| SliceHelpers.limit(slot, width) }
    { "unfrozen" => second_largest, "frozen" => smallest, "interned" => smallest, "duplicate" => smallest, "tail_slice" => smallest }.each do |kind, limit|
      define_method("test_larger_slices_of_#{kind}_parents_share_with_#{width}_of_terminator") do
        parent = ->(length) do
          bytes = SliceHelpers.parent_bytes(length, width, 2 * SLOTS.last)
          TestSliceBehaviour::PARENTS[kind].(SliceHelpers.fresh(bytes, ENCODINGS[width]))
        end
        skip "this series ends before its third patch" unless frozen_parents_share?
        (SliceHelpers.boundaries(width) + [232, OVER, 5000]).select { |n| n > limit && n % width == 0 }.each do |length|
          slice = tail(parent.(length), length)
          assert EmbedProbe.shared?(slice), "#{length} bytes are not shared"
          refute EmbedProbe.embedded?(slice)
        end
      end
    end
  end
end

# PASSES on stock Ruby and on a patched one: see the top of the file.
class TestSliceBehaviour < Minitest::Test
  include SliceHelpers

  # Ways to hold a string's bytes: each makes a parent from a fresh string.
  PARENTS = {
    "unfrozen" => ->(s) { s },
    "frozen" => ->(s) { s.freeze },
    "interned" => ->(s) { -s },
    "duplicate" => ->(s) { s.dup }, # shares if too long to embed
    "tail_slice" => ->(s) { (s + s).byteslice(s.bytesize..) },
    "buffer" => ->(s) { String.new(capacity: 2 * s.bytesize, encoding: s.encoding) << s },
    "subclass" => ->(s) { Class.new(String).new(s) },
  }

  # nil for `valid` where an encoding is a dummy and has no rule.
  def assert_slice(bytes, slice, encoding: Encoding::UTF_8, width: 1, ascii: true, valid: true)
    assert_instance_of String, slice
    refute_predicate slice, :frozen?
    assert_equal bytes, slice.bytes
    assert_equal bytes.size, slice.bytesize
    assert_same encoding, slice.encoding
    assert_equal ascii, slice.ascii_only?
    assert_equal valid, slice.valid_encoding? unless valid.nil?
    assert EmbedProbe.terminated?(slice, width)
  end

  # Every length, of a parent that itself fits a slot if the slice does, and of
  # a long one.  An odd part of a wide character makes the slice invalid.
  def each_tail(width, parent_kind)
    [0, SLOTS.last].each do |longer|
      SliceHelpers.lengths(width).each do |length|
        bytes = SliceHelpers.parent_bytes(length, width, longer)
        parent = PARENTS[parent_kind].(SliceHelpers.fresh(bytes, ENCODINGS[width]))
        yield parent, bytes, length
      end
    end
  end

  # The slice by rb_str_subseq() and by String#byteslice.  The first takes whole
  # characters only: it may call a torn one valid, because its parent was.
  def cuts(parent, start, length, width)
    slices = [parent.byteslice(start, length)]
    slices << EmbedProbe.subseq(parent, start, length) if length % width == 0
    slices
  end

  PARENTS.each_key do |kind|
    ENCODINGS.each do |width, encoding|
      define_method("test_tails_of_#{kind}_parent_with_#{width}_of_terminator") do
        each_tail(width, kind) do |parent, bytes, length|
          cuts(parent, bytes.size - length, length, width).each do |slice|
            assert_slice(bytes.last(length), slice, encoding:, width:,
                         ascii: width == 1, valid: length % width == 0)
          end
          assert_equal bytes, parent.bytes
        end
      end
    end
  end

  def test_the_shortest_fit_the_smallest_slot
    ENCODINGS.each do |width, encoding|
      (0..SliceHelpers.limit(SLOTS.first, width)).each do |length|
        parent = SliceHelpers.fresh(SliceHelpers.parent_bytes(length, width), encoding)
        slice = tail(parent, length)
        assert EmbedProbe.embedded?(slice)
        assert_equal SLOTS.first, slot_size(slice)
      end
    end
  end

  def test_one_byte_over_the_largest_slot_is_shared
    ENCODINGS.each do |width, encoding|
      [SliceHelpers.limit(SLOTS.last, width) + 1, OVER, 5000].each do |length|
        %w[unfrozen frozen duplicate tail_slice].each do |kind|
          bytes = SliceHelpers.parent_bytes(length, width)
          slice = tail(PARENTS[kind].(SliceHelpers.fresh(bytes, encoding)), length)
          assert EmbedProbe.shared?(slice), "#{length} bytes of #{kind} parent"
          refute EmbedProbe.embedded?(slice)
        end
      end
    end
  end

  # One NUL only, see EmbedProbe.terminated?.
  def test_middle_slices
    ENCODINGS.each do |width, encoding|
      PARENTS.each_key do |kind|
        each_tail(width, kind) do |parent, bytes, length|
          cuts(parent, width, length, width).each do |slice|
            assert_slice(bytes[width, length], slice, encoding:, ascii: width == 1,
                         valid: length % width == 0)
            refute EmbedProbe.shared?(slice)
          end
        end
      end
    end
  end

  # A stock Ruby ends them in one NUL, in a slot for one: a copy of 613 to 615
  # bytes of UTF-32 then asks for a slot that is not there, and Ruby aborts.
  def test_wide_middle_slices_end_in_a_wide_nul
    middle = ->(length, width) do
      EmbedProbe.subseq(SliceHelpers.fresh(SliceHelpers.parent_bytes(length, width, 2 * width), ENCODINGS[width]), width, length)
    end
    short = SliceHelpers.limit(SLOTS[1], 2) # fits the second slot with one NUL, not with four
    skip "this series ends before its fifth patch" unless slot_size(middle.(short, 4)) == SLOTS[2]
    [2, 4].each do |width|
      (SliceHelpers.boundaries(width) | SliceHelpers.boundaries(1)).each do |length|
        slice = middle.(length, width)
        assert_equal SliceHelpers.slot_for(length, width) ? true : false, EmbedProbe.embedded?(slice), "#{length} bytes"
        assert EmbedProbe.terminated?(slice, width)
        expected = SliceHelpers.parent_bytes(length, width, 2 * width)[width, length]
        [slice, slice.dup, slice.b, -slice, slice + ""].each { |copy| assert_equal expected, copy.bytes }
      end
    end
  end

  # chomp of a line end that is torn asks for -1 bytes, since it looks for the
  # other half in front of the string.
  def test_a_negative_length_is_refused
    [1, 2, 24, 400].each do |size|
      assert_raises(ArgumentError) { EmbedProbe.subseq("x" * size, 0, -1) }
      assert_raises(ArgumentError) { EmbedProbe.subseq("x" * size, 1, -size) } if size > 1
    end
    %w[UTF-16BE UTF-16LE UTF-32BE UTF-32LE].product([1, 2, 3], ["\n", "\r", "\0"]) do |encoding, size, byte|
      torn = (byte * size).force_encoding(encoding)
      assert torn.b.start_with?(torn.chomp.b), "#{encoding}, #{size} times #{byte.dump}"
    rescue ArgumentError => e
      assert_match(/negative string size/, e.message)
    end
  end

  def test_substr_counts_characters
    chars = [[0x61], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9D, 0x84, 0x9E]] * 200
    parent = SliceHelpers.fresh(chars.flatten)
    [0, 1, 9, 10, 30, 100, 250, 251, 799, 800].each do |count|
      expected = chars.last(count).flatten
      [count, count + 7].each do |length| # longer than what is left is clipped
        assert_slice(expected, EmbedProbe.substr(parent, 800 - count, length), ascii: count == 0)
      end
      next if count == 0 # no negative zero

      assert_slice(expected, EmbedProbe.substr(parent, -count, count), ascii: false)
    end
    assert_nil EmbedProbe.substr(parent, 801, 1)
  end

  # Head and tail as one unit of bytes each, and what must hold of the tail.
  {
    "binary" => [Encoding::BINARY, [0x61], [0xFF]],
    "us_ascii" => [Encoding::US_ASCII, [0x61], [0x62], { ascii: true }],
    "us_ascii_after_invalid" => [Encoding::US_ASCII, [0xFF], [0x62], { ascii: true }],
    "latin1" => [Encoding::ISO_8859_1, [0x61], [0xE9]],
    "utf8_ascii_after_wide" => [Encoding::UTF_8, [0xC3, 0xA9], [0x61], { ascii: true }],
    "utf8_ascii_after_invalid" => [Encoding::UTF_8, [0xFF], [0x61], { ascii: true }],
    "utf8_wide" => [Encoding::UTF_8, [0x61], [0xE2, 0x82, 0xAC]],
    "utf8_wide_after_invalid" => [Encoding::UTF_8, [0xFF], [0xC3, 0xA9]],
    "utf8_invalid" => [Encoding::UTF_8, [0x61], [0xC3], { valid: false }],
    "utf8_torn" => [Encoding::UTF_8, [0x61, 0xC3], [0xA9], { valid: false }],
    "euc_jp" => [Encoding::EUC_JP, [0x61], [0xA4, 0xA2]],
    "shift_jis" => [Encoding::Shift_JIS, [0x61], [0x82, 0xA0]],
    "gb18030" => [Encoding::GB18030, [0x61], [0x81, 0x30, 0x84, 0x36]],
    "utf16be" => [Encoding::UTF_16BE, [0x00, 0x61], [0xD8, 0x34, 0xDD, 0x1E], { width: 2 }],
    "utf16le_invalid" => [Encoding::UTF_16LE, [0x61, 0], [0x34, 0xD8], { width: 2, valid: false }],
    "utf32be" => [Encoding::UTF_32BE, [0, 0, 0, 0x61], [0, 1, 0xD1, 0x1E], { width: 4 }],
    "utf32le_invalid" => [Encoding::UTF_32LE, [0x61, 0, 0, 0], [0, 0, 0x11, 0],
                          { width: 4, valid: false }],
    "utf7_dummy" => [Encoding::UTF_7, [0x61], [0x2B], { valid: nil }],
    "iso2022jp_dummy" => [Encoding::ISO_2022_JP, [0x61], [0x1B, 0x24, 0x42], { valid: nil }],
    "utf16_dummy" => [Encoding::UTF_16, [0, 0x61], [0, 0x62], { valid: nil }],
    "utf32_dummy" => [Encoding::UTF_32, [0, 0, 0, 0x61], [0, 0, 0, 0x62], { valid: nil }],
  }.each do |name, (encoding, head, unit, expected)|
    define_method("test_code_range_of_#{name}") do
      [1, 8, 20, 60, 200, 700].each do |count|
        bytes = unit * count
        # A parent that was scanned before hands its code range on.
        [false, true].each do |scanned|
          parent = SliceHelpers.fresh(head * 4 + bytes, encoding)
          parent.valid_encoding? if scanned
          assert_slice(bytes, tail(parent, bytes.size), encoding:, ascii: false, **expected.to_h)
        end
      end
    end
  end

  def test_strings_of_constant_memory
    text = RUBY_COPYRIGHT
    (0..text.bytesize).each do |length|
      assert_slice(text.bytes.last(length), tail(text, length), encoding: text.encoding)
    end
  end

  # Parents that can be written to.
  WRITABLE = %w[unfrozen duplicate tail_slice buffer subclass]

  def test_later_writes_to_the_parent_do_not_reach_a_slice
    WRITABLE.each do |kind|
      each_tail(1, kind) do |parent, bytes, length|
        first = tail(parent, length)
        parent.setbyte(-1, 0x7F)
        second = tail(parent, length)
        parent << "more"
        parent.clear
        assert_slice(bytes.last(length), first)
        assert_slice([*bytes[...-1], 0x7F].last(length), second)
      end
    end
  end

  def test_writes_to_a_slice_do_not_reach_the_parent
    WRITABLE.each do |kind|
      each_tail(1, kind) do |parent, bytes, length|
        slice = tail(parent, length)
        other = tail(parent, length)
        slice.setbyte(-1, 0x7F) if length > 0
        slice << "more"
        assert_slice([*bytes.last(length)[...-1], *([0x7F] if length > 0)] + "more".bytes, slice)
        slice.freeze
        assert_slice(bytes.last(length), other)
        assert_equal bytes, parent.bytes
        refute_predicate parent, :frozen?
      end
    end
  end

  # From one slot's last byte on into the heap.
  def test_a_slice_grows_byte_by_byte
    SliceHelpers.boundaries(1).each do |length|
      bytes = SliceHelpers.parent_bytes(length, 1)
      slice = tail(SliceHelpers.fresh(bytes), length)
      expected = bytes.last(length)
      SLOTS.last.times do |i|
        slice << (0x30 + i % 10)
        expected << (0x30 + i % 10)
        assert EmbedProbe.terminated?(slice, 1)
      end
      assert_slice(expected, slice)
    end
  end

  # A full slot has no room for the longer terminator.
  def test_a_slice_changes_to_an_encoding_with_a_longer_terminator
    [[1, 2], [1, 4], [2, 4]].each do |from, to|
      each_tail(from, "unfrozen") do |parent, bytes, length|
        slice = tail(parent, length).force_encoding(ENCODINGS[to])
        assert_equal bytes.last(length), slice.bytes
        assert EmbedProbe.terminated?(slice, to), "#{length} bytes from #{from} to #{to}"
      end
    end
  end

  def test_a_slice_as_hash_key_and_symbol
    each_tail(1, "unfrozen") do |parent, bytes, length|
      slice = tail(parent, length)
      same = bytes.last(length).pack("C*").force_encoding("UTF-8")
      assert_equal :found, { slice => :found }[same]
      assert_equal :found, { same => :found }[slice]
      assert_same same.to_sym, slice.to_sym
      assert_equal 0, slice <=> same
      assert_same(-same, -slice)
    end
  end

  # Public ways to a tail slice: the text in front of the tail, and the call.
  # The tail is free of colons, blanks and line ends.  unpack gives binary
  # strings, and a symbol of ASCII characters is US-ASCII.
  {
    "range" => ["head:", ->(s) { s[5..] }],
    "begin_length" => ["head:", ->(s) { s[5, s.length] }],
    "negative" => ["head:", ->(s) { s[5 - s.length..] }],
    "whole" => ["", ->(s) { s[0..] }],
    "regexp" => ["head:", ->(s) { s[/[^:]+\z/] }],
    "regexp_group" => ["head:", ->(s) { s[/:(.*)/, 1] }],
    "slice!" => ["head:", ->(s) { s.slice!(5..) }],
    "byteslice" => ["head:", ->(s) { s.byteslice(5..) }],
    "split" => ["head:", ->(s) { s.split(":").last }],
    "split_regexp" => ["head:", ->(s) { s.split(/:/).last }],
    "split_limit" => ["a:b:", ->(s) { s.split(":", 3).last }],
    "split_at_blanks" => ["head ", ->(s) { s.split.last }],
    "partition" => ["head:", ->(s) { s.partition(":").last }],
    "partition_regexp" => ["head:", ->(s) { s.partition(/:/).last }],
    "rpartition" => ["a:b:", ->(s) { s.rpartition(":").last }],
    "rpartition_regexp" => ["a:b:", ->(s) { s.rpartition(/:/).last }],
    "scan" => ["head:", ->(s) { s.scan(/[^:]+/).last }],
    "scan_group" => ["head:", ->(s) { s.scan(/:(.+)/).last.first }],
    "each_line" => ["head\n", ->(s) { s.each_line.to_a.last }],
    "each_line_separator" => ["head:", ->(s) { s.each_line(":").to_a.last }],
    "lines" => ["head\n", ->(s) { s.lines.last }],
    "lines_chomp" => ["head\n", ->(s) { s.lines(chomp: true).last }],
    "delete_prefix" => ["head:", ->(s) { s.delete_prefix("head:") }],
    "lstrip" => [" \t\n", ->(s) { s.lstrip }],
    "strip" => [" \t\n", ->(s) { s.strip }],
    "match" => ["head:", ->(s) { /:(.*)/.match(s)[1] }],
    "match_named" => ["head:", ->(s) { /:(?<rest>.*)/.match(s)[:rest] }],
    "match_captures" => ["head:", ->(s) { /:(.*)/.match(s).captures.first }],
    "post_match" => ["head:", ->(s) { /:/.match(s).post_match }],
    "last_match" => ["head:", ->(s) { s =~ /:/ && $' }],
    "scanner_rest" => ["head:", ->(s) { StringScanner.new(s).tap { |c| c.skip(/head:/) }.rest }],
    "scanner_scan" => ["head:", ->(s) { StringScanner.new(s).tap { |c| c.skip(/.*:/) }.scan(/.+/) }],
    "stringio_read" => ["head:", ->(s) { StringIO.new(s).tap { |io| io.pos = 5 }.read }],
    "stringio_gets" => ["head\n", ->(s) { StringIO.new(s).tap(&:gets).gets }],
    "unpack" => ["head:", ->(s) { s.unpack("a5a*").last.force_encoding(s.encoding) }],
    "symbol" => ["head:", ->(s) { s.to_sym[5..].force_encoding(s.encoding) }],
    "subclass" => ["head:", ->(s) { Class.new(String).new(s)[5..] }],
  }.each do |name, (head, slicer)|
    define_method("test_entry_#{name}") do
      [[0x61], [0xC3, 0xA9]].each do |unit|
        SliceHelpers.lengths(1).each do |length|
          bytes = unit * (length / unit.size)
          next if bytes.empty? # no field, line or match at all

          ascii = unit.size == 1
          assert_slice(bytes, slicer.(SliceHelpers.fresh(head.bytes + bytes)), ascii:)
          next if name == "slice!"

          assert_slice(bytes, slicer.(SliceHelpers.fresh(head.bytes + bytes).freeze), ascii:)
        end
      end
    end
  end

  # A separator of one byte; in Shift_JIS and UTF-16 it is also a part of other
  # characters.  Fields as bytes, an empty one inside and two at the end.
  {
    "utf8" => [Encoding::UTF_8, ",", [[0x61], [0xC3, 0xA9], [], [0x62, 0xE2, 0x82, 0xAC], [0x63] * 30, [], []]],
    "us_ascii" => [Encoding::US_ASCII, "\t", [[0x61], [], [0x62] * 60, [0x20], [], []]],
    "nul" => [Encoding::UTF_8, "\0", [[0x61], [], [0x62] * 60, [0xC3, 0xA9], [], []]],
    "binary" => [Encoding::BINARY, ",", [[0xFF, 0x80], [], [0x61], [0xC3] * 200, [], []]],
    "latin1" => [Encoding::ISO_8859_1, ",", [[0xE9], [], [0x61], [0xFF] * 20, [], []]],
    "shift_jis" => [Encoding::Shift_JIS, "\\", [[0x61], [0x83, 0x5C], [], [0x95, 0x5C, 0x62], [], []]],
    "gb18030" => [Encoding::GB18030, "0", [[0x61], [0x81, 0x30, 0x84, 0x36], [], [0x62], [], []]],
    "utf16le" => [Encoding::UTF_16LE, ",", [[0x61, 0], [0x2C, 0x2C], [], [0, 0x2C], [], []]],
    "high_byte" => [Encoding::BINARY, "\xFF", [[0xFE, 0x80], [], [0x61], [], []]],
  }.each do |name, (encoding, separator, fields)|
    define_method("test_split_at_one_byte_of_#{name}") do
      mark = encoding == Encoding::UTF_16LE ? separator.encode(encoding) : separator.dup.force_encoding(encoding)
      bytes = fields.flat_map { |field| field + mark.bytes }[...-mark.bytesize]
      text = SliceHelpers.fresh(bytes, encoding)
      split = ->(*limit) { text.split(mark, *limit).each { |field| assert_same encoding, field.encoding }.map(&:bytes) }
      assert_equal fields, split.(-1)
      assert_equal fields[...-2], split.()
      assert_equal [bytes], split.(1)
      assert_equal [fields[0], fields[1], bytes.drop((fields[0] + fields[1]).size + 2 * mark.bytesize)], split.(3)
      yielded = []
      text.split(mark) { |field| yielded << field.bytes }
      assert_equal fields[...-2], yielded
      text.freeze
      assert_equal fields, split.(-1)
      text = mark + text
      assert_equal [[], *fields], split.(-1)
    end
  end

  def test_split_at_one_byte_of_odd_strings
    assert_equal [], "".split(",")
    assert_equal [], ",,".split(",")
    assert_equal ["", "", ""], ",,".split(",", -1)
    assert_equal ["a"], "a".split(",")
    assert_raises(ArgumentError) { "a,\xC3,b".split(",") }
    assert_raises(Encoding::CompatibilityError) { "a,\u00e9".split(",".encode("UTF-16LE")) }
    assert_raises(RuntimeError) { mark = +","; "a,b,c".split(mark) { mark << "x" } } if RUBY_VERSION >= "3.4"
  end

  def test_entry_each_grapheme_cluster
    [4, 30, 400].each do |marks|
      cluster = [0x65] + [0xCC, 0x81] * marks # e with combining acute accents
      parent = SliceHelpers.fresh([0x61] + cluster)
      assert_slice(cluster, parent.each_grapheme_cluster.to_a.last, ascii: false)
      assert_slice(cluster, parent.grapheme_clusters.last, ascii: false)
    end
  end

  # Slices of every kind of parent with their bytes; half the parents die.
  def sample(lengths)
    PARENTS.each_value.flat_map do |make|
      lengths.map do |length|
        bytes = SliceHelpers.parent_bytes(length, 1)
        parent = make.(SliceHelpers.fresh(bytes))
        [bytes.last(length), tail(parent, length), (parent if length.even?)]
      end
    end
  end

  def assert_sample(sample)
    sample.each { |bytes, slice, _| assert_slice(bytes, slice) }
  end

  def stress
    GC.stress = true
    yield
  ensure
    GC.stress = false
  end

  def test_gc_at_every_allocation
    lengths = SliceHelpers.boundaries(1).each_slice(3).map(&:last) << OVER
    assert_sample(stress { sample(lengths) })
  end

  def test_compaction
    skip "no compaction on this platform" unless GC.respond_to?(:compact)
    # Every second sample dies and leaves holes to move into.
    samples = Array.new(20) { sample(SliceHelpers.lengths(1)) }
    kept = samples.each_slice(2).flat_map(&:first)
    samples = nil
    GC.compact
    assert_operator GC.latest_compact_info[:moved].fetch(:T_STRING, 0), :>, 0
    assert_sample(kept)
  end

  def test_compaction_at_every_allocation
    skip "no compaction on this platform" unless GC.respond_to?(:auto_compact=)
    GC.auto_compact = true
    lengths = SLOTS.map { |slot| SliceHelpers.limit(slot, 1) } << OVER
    assert_sample(stress { sample(lengths) })
  ensure
    GC.auto_compact = false if GC.respond_to?(:auto_compact=)
  end
end
