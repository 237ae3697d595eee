# Random HTTP requests, to hold two builds of Puma's parser against each other.
#
#   requests.rb write SEED COUNT         requests on stdout, each after its length
#                                        (32 bits, big-endian), for parsers.c
#   requests.rb write-files FOLDER SEED COUNT
#                                        the same, each in a file of its own
#   requests.rb write-bytes              the same, each byte value at each place of
#                                        two requests with every kind of element
#   requests.rb digest SEED COUNT        "SEED DIGEST" of each: what the extension
#                                        that PUMA_HTTP11 names makes of the
#                                        request, with all its env, whole and in
#                                        pieces
#   requests.rb limits                   the same for each element that is as long as
#                                        Puma takes it, a byte shorter, and longer
#   requests.rb show SEED                the same of one, in full
require "digest"

module Requests
  # Longest elements that Puma takes: ext/puma_http11/puma_http11.c.
  LIMITS = { name: 256, value: 80 * 1024, uri: 12 * 1024, fragment: 1024, path: 8192, query: 10 * 1024,
             head: 112 * 1024 }.freeze
  NAMES = %w[Host User-Agent Accept Accept-Encoding Accept-Language Cookie Connection Content-Length Content-Type
             Cache-Control If-None-Match Referer Upgrade-Insecure-Requests Sec-Fetch-Dest X-Forwarded-For X-Real-Ip
             Transfer-Encoding Expect TE Trailer Upgrade Via Date Warning Range DNT X-Request-Id HTTP-Host
             Content_Length X_Real_IP Content-length hOsT A].freeze
  TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".chars.freeze
  BYTES = (0..255).map(&:chr).freeze
  EVERY_KIND = ["GET /a/b;c?d=e%20&f#g HTTP/1.1\r\nHost: h.org:80\r\nX_a-B: \t v w \r\nA:\r\nLong-Name-Of-16b: 0123456789abcdefghijklmn\r\n\r\nbody",
                "OPTIONS http://u@h:8/p HTTP/1.0\nA: b\n\n"].map(&:b).freeze

  class Writer
    def initialize(seed)
      @random = Random.new(seed)
    end

    def n(limit) = @random.rand(limit)
    def pick(list) = list[n(list.size)]
    def some(list, count) = Array.new(count) { pick(list) }.join

    # A length at or beside a limit, now and then; else a short one.
    def length(element, short) = n(400) == 0 ? LIMITS[element] + n(3) - 1 : n(short)

    def target
      path = "/" + some(%w[a b /x % - . ~ é index.html %20 ;], length(:path, 12)).b[0, n(8) == 0 ? 9000 : 60].to_s
      path = "/" + "p" * (length(:path, 40) - 1).abs if n(10) == 0
      query = n(2) == 0 ? "?" + (n(20) == 0 ? "q" * length(:query, 200) : some(%w[a= &b 1 + %41 ?], n(12))) : ""
      fragment = n(10) == 0 ? "#" + "f" * length(:fragment, 30) : ""
      uri = path + query + fragment
      case n(20)
      when 0 then "*"
      when 1 then "http://example.org:8080" + uri
      when 2 then "/" + "u" * length(:uri, 300)
      else uri
      end
    end

    def name
      case n(13)
      when 12 then pick(NAMES).b.tap { |s| s.setbyte(n(s.bytesize), n(256)) }
      when 0 then some(TOKEN, 1 + n(30))
      when 1 then "X-" + some(TOKEN, n(12))
      when 2 then "n" * (1 + length(:name, 40))
      when 3 then pick(NAMES).tr("-_", "_-")
      else pick(NAMES)
      end
    end

    def value
      case n(16)
      when 0 then some(BYTES - ["\r", "\n"], n(40))
      when 1 then "v" * length(:value, 600)
      when 2 then some([" ", "\t", "v"], n(20))
      when 3 then "x" * n(20) + pick(BYTES) + "y" * n(20)
      when 4 then ""
      else some(%w[a B 9 ; = , / text/html gzip 0.8] + [" "], n(30))
      end
    end

    def fields
      Array.new(n(30) == 0 ? n(150) : n(9)) { "#{name}:#{pick(["", " ", " ", "  ", "\t"])}#{value}#{pick(["", "", " "])}\r\n".b }.join.b
    end

    def whole
      "#{pick(%w[GET GET POST PUT DELETE OPTIONS PROPFIND get M-SEARCH])} #{target} HTTP/#{pick(%w[1.1 1.1 1.1 1.0 1.2 9.9 11.1])}\r\n".b +
        fields + "\r\n" + (n(3) == 0 ? some(BYTES, n(60)).b : "")
    end

    # Half of them are changed in some place: any byte, anywhere.
    def request
      text = whole
      return text if n(2) == 0
      (1 + n(3)).times do
        at = n(text.bytesize + 1)
        at = n([text.bytesize, 80].min + 1) if n(2) == 0
        case n(5)
        when 0 then text = text.byteslice(0, at) + pick(BYTES).b + text.byteslice(at..).to_s
        when 1 then text = text.byteslice(0, at) + text.byteslice(at + 1..).to_s
        when 2 then text = text.byteslice(0, at)
        else text = text.byteslice(0, at) + pick(BYTES).b + text.byteslice(at + 1..).to_s
        end
      end
      text.b
    end
  end

  module_function

  # A request whose one element is so long, and all others shorter than allowed.
  def with(element, length)
    case element
    when :name then get("/", "n" * length + ": v\r\n")
    when :value then get("/", "A: " + "v" * length + "\r\n")
    when :path then get("/" + "p" * (length - 1))
    when :query then get("/?" + "q" * length)
    when :fragment then get("/#" + "f" * length)
    when :uri then get("/" + "p" * 4095 + "?" + "q" * (length - 4097))
    when :head
      fields = "A: #{"v" * 60_000}\r\nB: \r\n"
      get("/", fields.sub("B: ") { |b| b + "w" * (length - get("/", fields).bytesize) })
    end
  end

  def get(target, fields = "") = "GET #{target} HTTP/1.1\r\n#{fields}\r\n".b

  # What a parser makes of the first bytes of a request, up to each of the cuts
  # in turn: what Puma does as a client sends it in pieces.
  def outcome(text, cuts)
    parser = Puma::HttpParser.new
    env = {}
    buffer = "".b # the parser writes names in upper case into it
    at = 0
    steps = [*cuts, text.bytesize].map do |cut|
      buffer << text.byteslice(buffer.bytesize...cut)
      at = parser.execute(env, buffer, at) unless parser.finished? || buffer.bytesize <= at
      [at, parser.error?, parser.finished?]
    end
    [steps, look(env), parser.finished? && parser.body, buffer]
  rescue Puma::HttpParserError => e
    [e.class.name, e.message, look(env)]
  end

  # Not the encoding of a key, which is ASCII alone: that the series makes it
  # UTF-8 is what tests/parser proves.
  def look(env)
    env.map { |key, value| [key.b, key.ascii_only?, key.frozen?, value.b, value.encoding.name, value.frozen?] }
  end

  def outcomes(seed)
    writer = Writer.new(seed)
    text = writer.request
    [text, Array.new(3) { |i| outcome(text, Array.new(i) { writer.n(text.bytesize + 1) }.sort) }]
  end
end

case ARGV
in ["write", seed, count]
  $stdout.binmode
  Integer(count).times do |i|
    text = Requests::Writer.new(Integer(seed) + i).request
    $stdout.write([text.bytesize].pack("N"), text)
  end
in ["write-files", folder, seed, count]
  Integer(count).times do |i|
    File.binwrite("#{folder}/#{Integer(seed) + i}", Requests::Writer.new(Integer(seed) + i).request)
  end
in ["write-bytes"]
  $stdout.binmode
  Requests::EVERY_KIND.each do |text|
    text.bytesize.times do |at|
      Requests::BYTES.each { |byte| $stdout.write([text.bytesize].pack("N"), text.byteslice(0, at), byte, text.byteslice(at + 1..)) }
    end
  end
in ["digest", seed, count]
  require ENV.fetch("PUMA_HTTP11")
  Integer(count).times do |i|
    puts "#{Integer(seed) + i} #{Digest::SHA256.hexdigest(Marshal.dump(Requests.outcomes(Integer(seed) + i)))[0, 32]}"
  end
in ["limits"]
  require ENV.fetch("PUMA_HTTP11")
  Requests::LIMITS.each do |element, limit|
    (limit - 1..limit + 1).each do |length|
      text = Requests.with(element, length)
      whole, cut = [[], [text.bytesize / 2]].map { |cuts| Requests.outcome(text, cuts) }
      puts "#{element} #{length}: #{whole[0] == "Puma::HttpParserError" ? whole[1] : "taken"} #{Digest::SHA256.hexdigest(Marshal.dump([whole, cut]))}"
    end
  end
in ["show", seed]
  require ENV.fetch("PUMA_HTTP11")
  text, all = Requests.outcomes(Integer(seed))
  p text, *all
else
  warn "usage: requests.rb write SEED COUNT | write-files FOLDER SEED COUNT | write-bytes | digest SEED COUNT | limits | show SEED"
  exit 2
end
