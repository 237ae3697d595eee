# frozen_string_literal: true

# Tests of patches/puma on whatever Puma the load path gives: a build tree with
# -I lib, or else the installed gem.
#
# ProofEnvKeys         proves that keys are interned: each of its tests fails on a
#                      stock Puma before 7.2.
# ProofRememberedKeys  the same of remembered keys, for any release.
# TestParserBehaviour  what the patch must leave alone: passes on stock as well.

require "puma/const"
require "puma/puma_http11"
require "minitest/autorun"

module ParserTestHelper
  PROTOCOL = Puma::Const::VERSION.to_i < 6 ? "HTTP_VERSION" : "SERVER_PROTOCOL"

  GLOBAL_KEYS = ["REQUEST_METHOD", "REQUEST_URI", "FRAGMENT", "QUERY_STRING", PROTOCOL, "REQUEST_PATH"].freeze

  COMMON_KEYS = %w[
    HTTP_ACCEPT HTTP_ACCEPT_CHARSET HTTP_ACCEPT_ENCODING HTTP_ACCEPT_LANGUAGE HTTP_ALLOW HTTP_AUTHORIZATION
    HTTP_CACHE_CONTROL HTTP_CONNECTION HTTP_CONTENT_ENCODING CONTENT_LENGTH CONTENT_TYPE HTTP_COOKIE HTTP_DATE
    HTTP_EXPECT HTTP_FROM HTTP_HOST HTTP_IF_MATCH HTTP_IF_MODIFIED_SINCE HTTP_IF_NONE_MATCH HTTP_IF_RANGE
    HTTP_IF_UNMODIFIED_SINCE HTTP_KEEP_ALIVE HTTP_MAX_FORWARDS HTTP_PRAGMA HTTP_PROXY_AUTHORIZATION HTTP_RANGE
    HTTP_REFERER HTTP_TE HTTP_TRAILER HTTP_TRANSFER_ENCODING HTTP_UPGRADE HTTP_USER_AGENT HTTP_VIA
    HTTP_X_FORWARDED_FOR HTTP_X_REAL_IP HTTP_WARNING
  ].freeze

  # Some only just differ from a common name; the last has the greatest length
  # allowed, 256.
  UNKNOWN_KEYS = [
    "HTTP_PRIORITY", "HTTP_SEC_FETCH_DEST", "HTTP_X", "HTTP_HOS", "HTTP_HOSTS", "HTTP_HOST,", "HTTP_HTTP_HOST",
    "HTTP_CONTENT_LENGT", "HTTP_!#$%&'*+_.^`|~0123456789", -"HTTP_#{"L" * 256}"
  ].freeze

  # The key's field as a client sends it.
  def field(key, value = "v")
    "#{key.delete_prefix("HTTP_").downcase.tr("_,", "-_")}: #{value}\r\n"
  end

  # The key that a field's name becomes.
  def key(name) = "HTTP_#{name.upcase.tr("_-", ",_")}"

  def request(*fields, line: "GET / HTTP/1.1")
    "#{line}\r\n#{fields.join}\r\n"
  end

  def every_key
    request(*(COMMON_KEYS + UNKNOWN_KEYS).map { |key| field(key) }, line: "GET /p?q#f HTTP/1.1")
  end

  # The parser writes upper case into its input, even where another String
  # shares the bytes, so it gets a copy made by concatenation.
  def parse(request, env = {})
    parser = Puma::HttpParser.new
    parser.execute(env, request + "", 0)
    assert_predicate parser, :finished?
    env
  end

  def with_gc_stress
    GC.stress = true
    yield
  ensure
    GC.stress = false
  end

  def compact
    GC.compact if GC.respond_to?(:compact)
  rescue NotImplementedError
    # Ruby was built for a platform that cannot move objects.
  end
end

class ProofEnvKeys < Minitest::Test
  include ParserTestHelper

  def assert_interned(key, *envs)
    keys = envs.map { |env| env.keys.find { |k| k == key } }
    assert_equal Encoding::UTF_8, keys[0].encoding
    assert_predicate keys[0], :frozen?
    keys.each { |k| assert_same(-key, k) }
  end

  def assert_all_interned(*envs)
    (GLOBAL_KEYS + COMMON_KEYS + UNKNOWN_KEYS).each { |key| assert_interned(key, *envs) }
  end

  (GLOBAL_KEYS + COMMON_KEYS + UNKNOWN_KEYS).each do |key|
    define_method("test_key_#{key[0, 40].gsub(/\W/, "_")}") { assert_interned(key, parse(every_key), parse(every_key)) }
  end

  def test_keys_of_names_that_meet
    env = parse(request("X-Twice: a\r\n", "x-twice: b\r\n", "X_Twice: c\r\n", "Host: d\r\n", "HOST: e\r\n"))
    %w[HTTP_X_TWICE HTTP_X,TWICE HTTP_HOST].each { |key| assert_interned(key, env) }
  end

  def test_keys_under_gc_stress
    envs = with_gc_stress { [parse(every_key), parse(every_key)] }
    assert_all_interned(*envs)
  end

  def test_keys_across_compaction
    before = parse(every_key)
    compact
    assert_all_interned(before, parse(every_key))
  end

  # What only the extension holds must outlive the requests.
  def test_keys_across_collection
    2.times do
      parse(every_key)
      GC.start
    end
    assert_all_interned(parse(every_key))
  end

  # An interned equal is found without a new String for the name. A common
  # field never makes one, so an unknown field must not cost more. The second
  # count is taken, as Ruby's own caches are filled during the first.
  def test_unknown_name_allocates_no_key
    names = Array.new(20) { |i| "HTTP_X_UNKNOWN_#{i}" }
    common, unknown = [COMMON_KEYS.first(20), names].map { |keys| request(*keys.map { |key| field(key) }) }
    known = [parse(common), parse(unknown)]
    assert_equal(*[common, unknown].map { |request| Array.new(2) { allocations(request) }.last })
    assert_equal names, known[1].keys.grep(/UNKNOWN/)
  end

  def allocations(request)
    parser, env, buffer = Puma::HttpParser.new, {}, request + ""
    before = GC.stat(:total_allocated_objects)
    parser.execute(env, buffer, 0)
    GC.stat(:total_allocated_objects) - before
  end
end

class ProofRememberedKeys < Minitest::Test
  include ParserTestHelper

  # Where only the Hash holds a key, it goes with it, or most do: a machine word
  # that looks like one may keep a few.
  def test_keys_of_other_fields_stay
    names = Array.new(40) { |i| "X-Remembered-#{i}" }
    ids = -> { parse(request(*names.map { |name| "#{name}: v\r\n" })).keys.grep(/REMEMBERED/).map(&:object_id) }
    before = Thread.new(&ids).value
    4.times { GC.start }
    assert_equal 40, before.size
    assert_operator (before & ids.call).size, :>, 30
  end
end

class TestParserBehaviour < Minitest::Test
  include ParserTestHelper

  def assert_parse_error(message, request)
    error = assert_raises(Puma::HttpParserError) { parse(request) }
    assert_match message, error.message
  end

  INVALID = /\AInvalid HTTP format, parsing fails\./

  def test_request_line
    env = parse(request("Host: h\r\n", "X-Y: z\r\n", line: "PUT /a/b;c?d=e&f#g HTTP/1.0"))
    assert_equal [
      ["REQUEST_METHOD", "PUT"], ["REQUEST_PATH", "/a/b;c"], ["QUERY_STRING", "d=e&f"],
      ["REQUEST_URI", "/a/b;c?d=e&f"], ["FRAGMENT", "g"], [PROTOCOL, "HTTP/1.0"],
      ["HTTP_HOST", "h"], ["HTTP_X_Y", "z"]
    ], env.to_a
  end

  def test_absent_elements
    assert_equal({ "REQUEST_METHOD" => "OPTIONS", "REQUEST_URI" => "*", PROTOCOL => "HTTP/1.1" },
                 parse(request(line: "OPTIONS * HTTP/1.1")))
  end

  def test_every_key
    env = parse(every_key)
    assert_equal %w[GET /p q /p?q f HTTP/1.1], env.values.first(6)
    assert_equal((COMMON_KEYS + UNKNOWN_KEYS).map { |key| [key, "v"] }, env.drop(6))
    assert_equal 6 + 36 + 10, env.size
  end

  def test_every_key_under_gc_stress
    assert_equal parse(every_key), with_gc_stress { parse(every_key) }
  end

  def test_every_key_across_compaction
    before = parse(every_key)
    compact
    assert_equal before, parse(every_key)
    assert_equal "v", before["HTTP_PRIORITY"]
  end

  def test_values_are_binary_and_mutable
    env = parse(every_key.sub(": v", ": \u00e9"))
    assert_equal "\xC3\xA9".b, env["HTTP_ACCEPT"]
    assert_equal [Encoding::BINARY], env.values.map(&:encoding).uniq
    assert_empty env.values.select(&:frozen?)
  end

  def test_keys_are_frozen
    assert_empty parse(every_key).keys.reject(&:frozen?)
  end

  def test_lookup_by_an_equal_key
    env = parse(request("Host: h\r\n", "X-Y: z\r\n"))
    [Encoding::UTF_8, Encoding::BINARY, Encoding::US_ASCII].each do |encoding|
      assert_equal "h", env["HTTP_HOST".dup.force_encoding(encoding)]
      assert_equal "z", env["HTTP_X_Y".dup.force_encoding(encoding)]
      assert_equal "GET", env["REQUEST_METHOD".dup.force_encoding(encoding)]
    end
  end

  # Values are taken several bytes at a time, names by a table, and both byte by
  # byte where a request is cut.  What each byte may do is written here once more.
  VALUE_LENGTHS = [1, 2, 7, 8, 9, 10, 15, 16, 17, 18, 25, 40].freeze

  def value_byte?(byte) = byte == 9 || (byte >= 32 && byte != 127)

  # Since Puma 7, a tab before the value goes too.
  LEADING = Puma::Const::VERSION.to_i < 7 ? /\A +/n : /\A[ \t]+/n

  def stripped(bytes) = bytes.pack("C*").sub(LEADING, "").sub(/[ \t]+\z/n, "")

  # The text with each of the 256 bytes at each of these places in turn.
  def with_each_byte(text, places)
    places.uniq.grep(0...text.size).product([*0..255]) do |at, byte|
      bytes = text.bytes
      bytes[at] = byte
      yield bytes, byte, at
    end
  end

  VALUE_LENGTHS.each do |length|
    define_method("test_each_byte_at_the_positions_of_a_value_of_#{length}") do
      with_each_byte([*"a".."z"].cycle.first(length).join, [0, length / 2, length - 2, length - 1]) do |bytes, byte|
        text = request("X-A: ".b + bytes.pack("C*") + "\r\n", "X-B: b\r\n")
        if value_byte?(byte)
          assert_equal [stripped(bytes), "b"], parse(text).values_at("HTTP_X_A", "HTTP_X_B")
        else
          assert_parse_error(INVALID, text)
        end
      end
    end
  end

  # RFC 9110's tchar, and the grave accent and others that Puma takes too.
  TOKEN_BYTES = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".bytes.freeze

  def test_each_byte_at_the_positions_of_a_name
    [1, 2, 9].each do |length|
      with_each_byte("n" * length, [0, 1, 8]) do |bytes, byte, at|
        next if byte == 0x3A # the colon ends the name

        text = request(bytes.pack("C*") + ": v\r\n".b)
        if TOKEN_BYTES.include?(byte)
          assert_equal "v", parse(text)[key(bytes.pack("C*"))], "byte #{byte} at #{at} of #{length}"
        else
          assert_parse_error(INVALID, text)
        end
      end
    end
  end

  def test_a_request_cut_anywhere
    text = request("Host: h\r\n", "X-Long-Name_And: #{"v" * 20}\t#{"w" * 20} \t\r\n", "Empty:\r\n", "Blank:   \r\n",
                   "Cookie: \t a=b; c\xFF\r\n".b, line: "GET /a?b#c HTTP/1.1")
    whole = parse(text)
    assert_equal "#{"v" * 20}\t#{"w" * 20}", whole["HTTP_X_LONG_NAME,AND"]
    (1...text.bytesize - 1).each do |cut|
      [[cut], [cut, cut + 1], [cut / 2, cut].uniq - [0]].each do |cuts|
        parser = Puma::HttpParser.new
        env, nread, input = {}, 0, "".b
        [0, *cuts, text.bytesize].each_cons(2) do |from, to|
          input << text.byteslice(from...to)
          nread = parser.execute(env, input, nread)
        end
        assert_predicate parser, :finished?
        assert_equal whole.to_a, env.to_a, "cut at #{cuts}"
      end
    end
  end

  def test_value_white_space
    env = parse(request("A:  a b\t \r\n", "B:\tb\r\n", "C:\r\n", "D: \t \r\n"))
    assert_equal ["a b", stripped("\tb".bytes), "", ""], env.values_at("HTTP_A", "HTTP_B", "HTTP_C", "HTTP_D")
  end

  def test_equal_names_are_joined
    env = parse(request("Host: a\r\n", "X-Y: 1\r\n", "HOST: b\r\n", "x-y:\r\n", "X-y: 3\r\n", "host: \xFF\r\n".b,
                        "Content-Type: t\r\n", "content-type: u\r\n"))
    assert_equal({ "HTTP_HOST" => "a, b, \xFF".b, "HTTP_X_Y" => "1, , 3", "CONTENT_TYPE" => "t, u" },
                 env.slice("HTTP_HOST", "HTTP_X_Y", "CONTENT_TYPE"))
    assert_equal [Encoding::BINARY], env.values.map(&:encoding).uniq
    assert_equal %w[HTTP_HOST HTTP_X_Y CONTENT_TYPE], env.keys.last(3)
  end

  # A dash becomes an underscore and an underscore a comma, so that the two
  # cannot be mistaken for each other until Puma::Request decides.
  def test_dash_and_underscore_do_not_meet
    env = parse(request("X-Y: 1\r\n", "X_Y: 2\r\n", "x_y: 3\r\n", "Content_Length: 4\r\n", "Content-Length: 5\r\n"))
    assert_equal({ "HTTP_X_Y" => "1", "HTTP_X,Y" => "2, 3", "HTTP_CONTENT,LENGTH" => "4", "CONTENT_LENGTH" => "5" },
                 env.drop(4).to_h)
  end

  # Puma 5 stores the protocol under the key that a field named Version gets.
  def test_field_that_meets_a_global
    env = parse(request("Version: 7\r\n", "Request-Method: m\r\n"))
    assert_equal PROTOCOL == "HTTP_VERSION" ? "HTTP/1.1, 7" : "7", env["HTTP_VERSION"]
    assert_equal %w[GET m], env.values_at("REQUEST_METHOD", "HTTP_REQUEST_METHOD")
  end

  # The names share one buffer: what a longer one left there is not part of
  # the next.
  def test_short_name_after_long_names
    env = parse(request(*[256, 200, 2, 1, 255].map { |n| "#{"n" * n}: #{n}\r\n" }))
    assert_equal [256, 200, 2, 1, 255].to_h { |n| ["HTTP_#{"N" * n}", n.to_s] }, env.drop(4).to_h
  end

  def test_values_already_in_the_hash_are_joined
    env = parse(request("Host: b\r\n", "X-Y: d\r\n"), { "HTTP_HOST".b => +"a", "HTTP_X_Y".b => +"c" })
    assert_equal %w[HTTP_HOST HTTP_X_Y], env.keys.first(2)
    assert_equal ["a, b", "c, d"], env.values.first(2)
    assert_equal 2 + 4, env.size
  end

  # Hash#[] is asked for the field so far, and so gives the default.
  def test_hash_with_a_default
    env = parse(request("Host: a\r\n", "X-Y: b\r\n"), Hash.new(+"d"))
    assert_equal "d, a, b", env.default
    assert_equal ["REQUEST_METHOD", "REQUEST_PATH", "REQUEST_URI", PROTOCOL], env.keys
  end

  # Ruby code that a lookup runs finds what was read so far, as if each pair had
  # been put in by itself.
  def test_hash_with_a_default_proc
    seen = []
    env = parse(request("Host: a\r\n", "X-Y: b\r\n"), Hash.new { |hash, key| seen << [key, hash.size]; nil })
    assert_equal [["HTTP_HOST", 4], ["HTTP_X_Y", 5]], seen
    assert_equal %w[a b], env.values.last(2)

    seen.clear
    env = parse(request("Host: a\r\n", "X-Y: b\r\n"), Hash.new { |hash, key| hash[key] = +"d#{hash.size}" })
    assert_equal ["d4, a", "d5, b"], env.values.last(2)
  end

  def test_hash_of_a_class_with_its_own_default
    env = parse(request("Host: a\r\n", "X-Y: b\r\n"), Class.new(Hash) { def default(key = nil) = +"#{key}#{size}" }.new)
    assert_equal ["GET", "/", "/", "HTTP/1.1"], env.values
    env = Class.new(Hash) { def default(_ = nil) = nil }.new
    assert_equal "a", parse(request("Host: a\r\n"), env)["HTTP_HOST"]
  end

  def test_parse_within_a_parse
    parser = Puma::HttpParser.new
    inner = {}
    env = Hash.new do |_, _|
      parser.reset
      parser.execute(inner, request("In: 1\r\n", "In: 2\r\n") + "", 0)
      nil
    end
    parser.execute(env, request("Host: a\r\n") + "", 0)
    assert_equal "1, 2", inner["HTTP_IN"]
    assert_equal "a", inner["HTTP_HOST"] # the parser adds to the last Hash that it was given
    assert_equal "GET", env["REQUEST_METHOD"]
  end

  def test_hash_that_compares_by_identity
    env = parse(request("Host: a\r\n", "Host: b\r\n", "X-Y: c\r\n"), {}.compare_by_identity)
    assert_equal ["GET", "/", "/", "HTTP/1.1"], env.values.first(4)
    assert_equal "c", env.values.last
  end

  def test_frozen_hash
    [{}, { "HTTP_HOST" => "a" }].each do |env|
      parser = Puma::HttpParser.new
      assert_raises(FrozenError) { parser.execute(env.freeze, request("Host: b\r\n") + "", 0) }
      assert_equal 0, parser.nread
      refute_includes env, "REQUEST_METHOD"
    end
  end

  # A key that is there may get another value, one that is not is refused.
  def test_hash_that_is_iterated_over
    env = { "REQUEST_METHOD" => +"PUT", "SERVER" => +"s" }
    parser = Puma::HttpParser.new
    env.each_key do
      error = assert_raises(RuntimeError) { parser.execute(env, request("Host: a\r\n") + "", 0) }
      assert_match(/during iteration/, error.message)
      assert_equal 0, parser.nread
    end
    assert_equal({ "REQUEST_METHOD" => "GET", "SERVER" => "s" }, env)
  end

  def test_frozen_value_already_in_the_hash
    env = { "HTTP_X_Y" => "c" }
    assert_raises(FrozenError) { parse(request("Host: a\r\n", "X-Y: b\r\n", "Z: c\r\n"), env) }
    assert_equal({ "HTTP_X_Y" => "c", "REQUEST_METHOD" => "GET", "REQUEST_PATH" => "/", "REQUEST_URI" => "/",
                   PROTOCOL => "HTTP/1.1", "HTTP_HOST" => "a" }.to_a, env.to_a)
  end

  # What came before a fault is in the Hash.
  def test_hash_after_a_fault
    {
      ["Host: a\r\n", "X-Y: b\r\n", "X(: c\r\n"] => INVALID,
      ["Host: a\r\n", "X-Y: b\r\n", "#{"n" * 257}: c\r\n"] => /FIELD_NAME/,
      ["Host: a\r\n", "X-Y: b\r\n", "Z: #{"v" * 81_921}\r\n"] => /FIELD_VALUE/
    }.each do |fields, message|
      env = {}
      error = assert_raises(Puma::HttpParserError) { parse(request(*fields), env) }
      assert_match message, error.message
      assert_equal ["GET", "/", "/", "HTTP/1.1", "a", "b"], env.values
    end
    env = {}
    assert_raises(Puma::HttpParserError) { parse(request(line: "GET /?q##{"f" * 1025} HTTP/1.1"), env) }
    assert_equal %w[REQUEST_METHOD REQUEST_PATH QUERY_STRING REQUEST_URI], env.keys
  end

  # Any number of fields, the last of which is there already as the first, the
  # one before it and so on.
  def test_many_fields
    [*0..70, 127, 128, 200].each do |count|
      names = Array.new(count) { |i| "X-Many-#{i}" }
      again = [names.first, names[count / 2], names.last].compact
      env = parse(request(*names.each_with_index.map { |name, i| "#{name}: #{i}\r\n" }, *again.map { |name| "#{name}: z\r\n" }))
      expected = names.each_with_index.to_h { |name, i| [key(name), +i.to_s] }
      again.each { |name| expected[key(name)] << ", z" }
      assert_equal expected.to_a, env.drop(4), "of #{count} fields"
    end
  end

  # The Hash that a server gives has keys already.
  def test_hash_with_other_keys
    [1, 7, 8, 9, 30].each do |count|
      env = Array.new(count) { |i| ["rack.#{i}", i] }.to_h
      parse(request("Host: a\r\n", "X-Y: b\r\n", "Host: c\r\n"), env)
      assert_equal Array.new(count) { |i| ["rack.#{i}", i] } +
        [["REQUEST_METHOD", "GET"], ["REQUEST_PATH", "/"], ["REQUEST_URI", "/"], [PROTOCOL, "HTTP/1.1"],
         ["HTTP_HOST", "a, c"], ["HTTP_X_Y", "b"]], env.to_a
    end
  end

  # More names than are remembered, and some that only differ in one byte.
  def test_many_names
    names = (Array.new(3000) { |i| "x-name-#{i * 7919 % 3000}" } + ("a".."z").flat_map { |c| ["x#{c}y", "#{c}xy"] }).uniq
    2.times do
      names.each_slice(50) do |slice|
        env = parse(request(*slice.map { |name| "#{name}: #{name}\r\n" }))
        assert_equal slice.to_h { |name| [key(name), name] }, env.drop(4).to_h
      end
      compact
    end
  end

  def test_parsers_of_ractors
    return unless defined?(Ractor) && Puma::Const::VERSION.to_i > 5 # older ones refuse to be called there
    script = <<~'RUBY'
      Warning[:experimental] = false
      require "puma/puma_http11"
      sums = Array.new(4) do |seed|
        Ractor.new(seed) do |first|
          (0...500).sum do |i|
            env = {}
            n = (first + i) % 300
            Puma::HttpParser.new.execute(env, "GET / HTTP/1.1\r\nX-R-#{n}: #{n}\r\nX-R-#{n + 1}: a\r\n\r\n" + "", 0)
            env.fetch("HTTP_X_R_#{n}").to_i == n && env.size == 6 ? 1 : 0
          end
        end
      end
      print sums.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
    RUBY
    out = IO.popen([RbConfig.ruby, *$LOAD_PATH.flat_map { |dir| ["-I", dir] }, "-e", script], &:read)
    assert_equal "[500, 500, 500, 500]", out
  end

  def test_request_in_two_pieces
    request = request("Host: a\r\n", "X-Unknown-Name: b\r\n", line: "GET /p?q#f HTTP/1.1")
    whole = parse(request)
    (1...request.bytesize).each do |cut|
      parser, env, buffer = Puma::HttpParser.new, {}, request[0, cut] + ""
      read = parser.execute(env, buffer, 0)
      buffer << request[cut..-1]
      assert_equal request.bytesize, parser.execute(env, buffer, read)
      assert_predicate parser, :finished?
      assert_equal whole.to_a, env.to_a, "cut at #{cut}"
    end
  end

  def test_invalid_requests
    [
      "GET / SsUTF/1.1", request(line: "get / HTTP/1.1"), request("X Y: 1\r\n"), request("X(: 1\r\n"),
      request(": 1\r\n"), request("\u00e9: 1\r\n"), request("X\0: 1\r\n"), request("X: \0\r\n"),
      request("X: \x7F\r\n"), request("X: a\n"), request("X : a\r\n")
    ].each { |request| assert_parse_error(INVALID, request) }
  end

  def test_start_after_the_end
    error = assert_raises(Puma::HttpParserError) { Puma::HttpParser.new.execute({}, "GET" + "", 3) }
    assert_equal "Requested start is after data buffer end.", error.message
  end

  # The longest that each element may be, a request with n bytes of it, and
  # the key and value that come of it.
  LIMITS = {
    "FIELD_NAME" => [256, ->(n) { ["GET / HTTP/1.1\r\n#{"n" * n}: v\r\n\r\n", "HTTP_#{"N" * n}", "v"] }],
    "FIELD_VALUE" => [81_920, ->(n) { ["GET / HTTP/1.1\r\nA: #{"v" * n}\r\n\r\n", "HTTP_A", "v" * n] }],
    "REQUEST_URI" => [12_288, lambda { |n|
      uri = "/#{"p" * 8191}?#{"q" * (n - 8193)}" # the longest path, and a query within its limit
      ["GET #{uri} HTTP/1.1\r\n\r\n", "REQUEST_URI", uri]
    }],
    "FRAGMENT" => [1024, ->(n) { ["GET /##{"f" * n} HTTP/1.1\r\n\r\n", "FRAGMENT", "f" * n] }],
    "REQUEST_PATH" => [8192, ->(n) { ["GET /#{"p" * (n - 1)} HTTP/1.1\r\n\r\n", "REQUEST_PATH", "/#{"p" * (n - 1)}"] }],
    "QUERY_STRING" => [10_240, ->(n) { ["GET /?#{"q" * n} HTTP/1.1\r\n\r\n", "QUERY_STRING", "q" * n] }],
    "HEADER" => [114_688, lambda { |n|
      b = "b" * (n - 80_026) # 26 bytes stand around the two values
      ["GET / HTTP/1.1\r\nA:#{"a" * 80_000}\r\nB:#{b}\r\n\r\n", "HTTP_B", b]
    }]
  }.freeze

  LIMITS.each do |element, (limit, make)|
    define_method("test_limit_of_#{element}") do
      [limit - 1, limit].each do |n|
        request, key, value = make[n]
        assert_equal value, parse(request)[key]
      end
      assert_parse_error(/\AHTTP element #{element} is longer than the .* allowed length \(was #{limit + 1}\)\z/,
                         make[limit + 1].first)
    end
  end

  def test_limit_of_method
    [19, 20].each { |n| assert_equal "M" * n, parse(request(line: "#{"M" * n} / HTTP/1.1"))["REQUEST_METHOD"] }
    assert_parse_error(INVALID, request(line: "#{"M" * 21} / HTTP/1.1"))
  end

  # White space at the end counts towards the limit, though it is cut off.
  def test_limit_of_value_counts_trailing_space
    assert_equal "v", parse(request("Host: v#{" " * 81_919}\r\n"))["HTTP_HOST"]
    assert_parse_error(/FIELD_VALUE.*\(was 81921\)/, request("Host: v#{" " * 81_920}\r\n"))
  end
end
