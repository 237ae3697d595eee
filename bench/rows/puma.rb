# frozen_string_literal: true

# Puma's parser alone: the request of Puma's public benchmark by its names and
# lengths, others by number and length of fields, and other parsers.
module Bench
  FIELDS = {
    "Host" => 10, "User-Agent" => 84, "Accept" => 63, "Accept-Language" => 14, "Accept-Encoding" => 23,
    "Connection" => 10, "Cookie" => 1324, "Upgrade-Insecure-Requests" => 1, "Sec-Fetch-Dest" => 8,
    "Sec-Fetch-Mode" => 8, "Sec-Fetch-Site" => 10, "If-None-Match" => 36, "Priority" => 6
  }.freeze
  VALUE = ([*"a".."z", *"0".."9", "=", ";", "/", ".", "-", " "].join * 250).freeze

  def self.request(fields)
    "GET /puma/puma HTTP/1.1\r\n#{fields.map { |name, size| "#{name}: #{VALUE[0, size - 1]}x\r\n" }.join}\r\n"
  end

  def self.fields(count, size)
    names = FIELDS.keys.first(10)
    names << "X-Field-#{names.size}" while names.size < count
    names.first(count).to_h { |name| [name, size] }
  end

  # What every parser calls the same, as bytes: keys have the encoding that a
  # version gives them.
  def self.common(env)
    env.select { |key, _| key == "REQUEST_METHOD" || key.start_with?("HTTP_") && key != "HTTP_VERSION" }.map { |pair| pair.map(&:b) }.sort
  end

  # The extension alone is loaded, by its path: a peer has the same name.
  def self.puma_loop(library, request)
    require library
    lambda do |n|
      env = nil
      n.times do
        parser = Puma::HttpParser.new
        env = {}
        # The parser writes to its buffer, so each turn has a real copy.
        parser.execute(env, request + "", 0)
        raise "the request is not complete" unless parser.finished?
      end
      env && common(env)
    end
  end

  # The Hash that Puma makes, from the same copy of the request, with nothing
  # to be parsed: names interned, each value a new String of a ready one.
  def self.floor_loop(request)
    require ENV["PUMA_HTTP11"]
    Puma::HttpParser.new.execute(env = {}, request + "", 0)
    values = env.values
    pieces = env.keys.each_with_index.map { |key, i| ["v#{i} = values[#{i}]", "env[#{key.dump}] = v#{i}.dup"] }.transpose
    eval <<~RUBY, binding, __FILE__, __LINE__ + 1
      #{pieces[0].join("\n")}
      lambda do |n|
        env = nil
        n.times do
          buffer = request + ""
          env = {}
          #{pieces[1].join("\n")}
        end
        env && common(env)
      end
    RUBY
  end

  group("Puma") do
    own = ->(request) { puma_loop(ENV["PUMA_HTTP11"], request) }
    public_request = request(FIELDS)
    row("Puma, the public request", 60_000, yjit: true, show: true) { own[public_request] }
    [1, 10, 50, 100].each do |count|
      row("Puma, fields: #{count}", 400_000 / (count + 4), show: count != 50) { own[request(fields(count, 40))] }
    end
    [10, 100, 1000, 8192].each do |size|
      row("Puma, two values of #{size} bytes", 150_000 / (1 + size / 500), show: size == 8192) { own[request(fields(2, size))] }
    end
    %w[7.2.0 8.0.2].each do |version|
      row("Puma, the public request, against Puma #{version}", 60_000, peer: true, gem: "puma-#{version}", show: true) do |peer|
        peer ? puma_loop("#{ENV["GEM_HOME"]}/gems/puma-#{version}/lib/puma/puma_http11.so", public_request) : own[public_request]
      end
    end
    row("Puma, the public request, against pico_http_parser", 60_000, peer: true, gem: "pico_http_parser", show: true) do |peer|
      next own[public_request] unless peer
      gem_first("pico_http_parser")
      require "pico_http_parser"
      lambda do |n|
        env = nil
        n.times { PicoHTTPParser.parse_http_request(public_request + "", env = {}) }
        env && common(env)
      end
    end
    row("Puma, the public request, against the floor", 60_000, peer: true, show: true) do |peer|
      peer ? floor_loop(public_request) : own[public_request]
    end
  end
end
