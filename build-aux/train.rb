# What profile-guided builds of Ruby are trained with: the kinds of work that
# scripts and servers do, none of them a row of bench/.  miniruby runs it, so
# there are no extensions.  The same each time: no clock, no randomness.
# frozen_string_literal: true

Point = Struct.new(:x, :y) do
  include Comparable
  def <=>(other) = x == other.x ? y <=> other.y : x <=> other.x
  def +(other) = Point.new(x + other.x, y + other.y)
end

class Shape
  attr_reader :name, :sides
  attr_accessor :tags

  def initialize(name, sides, tags: [])
    @name, @sides, @tags = name, sides, tags
  end

  def perimeter = @sides.sum
  def to_s = "#{self.class.name.downcase} #{@name} (#{@sides.join(", ")})"
  def respond_to_missing?(name, all = false) = name.start_with?("has_") || super
  def method_missing(name, *args) = name.start_with?("has_") ? @tags.include?(name[4..].to_sym) : super
end

class Square < Shape
  def initialize(name, side, **rest) = super(name, [side] * 4, **rest)
  def perimeter = super + 0
end

# A small language: words, numbers, operators, parentheses.
class Calculator
  TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([a-z_]+)|(.))/

  def initialize(variables) = @variables = variables

  def evaluate(text)
    @tokens = text.scan(TOKEN).map { |number, name, sign| number ? number.to_f : name ? @variables.fetch(name) { raise KeyError, "no #{name}" } : sign }
    sum
  end

  private def sum
    value = product
    while (sign = @tokens.first) == "+" || sign == "-"
      @tokens.shift
      value = sign == "+" ? value + product : value - product
    end
    value
  end

  private def product
    value = atom
    while (sign = @tokens.first) == "*" || sign == "/"
      @tokens.shift
      value = sign == "*" ? value * atom : value / atom
    end
    value
  end

  private def atom
    case token = @tokens.shift
    when Float, Integer then token
    when "("
      sum.tap { @tokens.shift == ")" or raise ArgumentError, "no )" }
    when "-" then -atom
    else raise ArgumentError, "odd #{token.inspect}"
    end
  end
end

def logs(count)
  hosts = %w[alpha.example beta.example gamma.example]
  Array.new(count) do |i|
    %(#{hosts[i % 3]} - - [#{format("%02d", i % 28 + 1)}/Nov/2026:#{format("%02d:%02d", i % 24, i % 60)}] "GET /items/#{i * 7919 % 1000}?page=#{i % 9}&q=caf%C3%A9 HTTP/1.1" #{i % 11 == 0 ? 404 : 200} #{i * 31 % 5000}\n)
  end
end

def read_logs(text)
  hits, bytes, words = Hash.new(0), {}, Hash.new { |hash, key| hash[key] = [] }
  text.each_line(chomp: true).with_index do |line, number|
    next if line.empty?
    host, _, rest = line.partition(" ")
    request = rest[/"([^"]*)"/, 1]
    verb, path, = request.split(" ")
    status, size = line.split.last(2).map(&:to_i)
    hits[[host, status]] += 1
    bytes[host] = (bytes[host] || 0) + size
    route, query = path.split("?", 2)
    pairs = query.split("&").to_h { |pair| pair.split("=") }
    pairs.each { |key, value| words[key.to_sym] << value.gsub(/%(\h\h)/) { $1.hex.chr }.force_encoding("UTF-8") }
    words[:verb] << verb.downcase if route.start_with?("/items") && number.even?
  end
  [hits.sort_by { |key, count| [-count, key.first] }, bytes, words.transform_values { _1.uniq.sort.size }]
end

# The words of a text by taking the rest of it again and again, as hand-written
# scanners do.
def consume(text)
  words = 0
  until text.empty?
    size = text.index(" ") || text.size
    words += 1 unless text[0, size].empty?
    text = text[(size + 1)..] || ""
  end
  words
end

def record(depth)
  { "id" => depth, "name" => "item #{depth}", "price" => depth * 1.5, "ok" => depth.odd?, "none" => nil,
    "tags" => %w[new old] + ["n\u00e4he \"#{depth}\"\n"], "parts" => depth > 0 ? Array.new(2) { record(depth - 1) } : [] }
end

def write(value, out)
  case value
  when Hash
    out << "{"
    value.each_with_index { |(key, item), i| out << "," if i > 0; write(key, out); out << ":"; write(item, out) }
    out << "}"
  when Array
    out << "["
    value.each_with_index { |item, i| out << "," if i > 0; write(item, out) }
    out << "]"
  when String then out << '"' << value.gsub(/["\\\n]/, '"' => '\\"', "\\" => "\\\\", "\n" => "\\n") << '"'
  when nil then out << "null"
  else out << value.to_s
  end
end

def template(items)
  rows = items.map do |item|
    "  <tr class=\"#{item[:odd] ? "odd" : "even"}\"><td>#{escape(item[:name])}</td><td>#{"%.2f" % item[:price]}</td></tr>"
  end
  (["<table>"] + rows + ["</table>"]).join("\n")
end

ENTITIES = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;" }.freeze
def escape(text) = text.gsub(/[&<>]/, ENTITIES)

def indented(text)
  root = {}
  stack = [[-1, root]]
  text.each_line do |line|
    next if line.strip.empty? || line.lstrip.start_with?("#")
    depth = line[/\A */].size
    key, value = line.strip.split(/:\s*/, 2)
    stack.pop while stack.last[0] >= depth
    if value.nil? || value.empty?
      stack.last[1][key] = child = {}
      stack.push([depth, child])
    else
      stack.last[1][key] = value.match?(/\A-?\d+\z/) ? Integer(value) : value.delete_prefix('"').delete_suffix('"')
    end
  end
  root
end

def numbers
  primes = (2..2000).each_with_object([]) { |n, found| found << n if found.none? { |p| p * p <= n && n % p == 0 } }
  fib = Hash.new { |memo, n| memo[n] = n < 2 ? n : memo[n - 1] + memo[n - 2] }
  matrix = Array.new(24) { |i| Array.new(24) { |j| (i * j) % 7 - 3.5 } }
  product = matrix.map { |row| matrix.transpose.map { |column| row.zip(column).sum { |a, b| a * b } } }
  [primes.sum, fib[200].to_s.size, product.flatten.minmax, (1..60).reduce(:*).digits.sum, 10.0.step(20.0, 0.25).sum, Rational(1, 3) + 2]
end

def flow
  found = []
  enumerator = Enumerator.new { |y| 3.times { |i| y << i }; y << :end }
  found << enumerator.next << enumerator.next
  found << catch(:done) { 10.times { |i| throw :done, i if i > 5 } }
  100.times do |i|
    Integer(i % 3 == 0 ? "#{i}" : "x#{i}")
    found << i
  rescue ArgumentError => e
    found << e.message.size
  ensure
    found.size
  end
  adder = ->(a, b = 2, *rest, key: 1, &block) { block ? block.call(a + b) : a + b + key + rest.size }
  found << adder.(1) << adder.(1, 3, 4, key: 5) << adder.curry[1] << [3, 1, 2].sort { |a, b| b <=> a }.first
  found << %i[upcase reverse].reduce("text") { |text, name| text.public_send(name) }
  case { name: "n", at: [1, [2, 3]] }
  in { name: String => name, at: [Integer => a, [*, b]] } then found << name << a + b
  end
  found
end

text = logs(1500).join
document = (1..150).map { |i| "section_#{i}:\n  # a comment\n  name: \"n#{i}\"\n  size: #{i}\n  inner:\n    deep: value #{i}\n" }.join
calculator = Calculator.new("a" => 3.5, "rate" => 0.2)

lines = text.lines

8.times do |round|
  read_logs(text)
  lines.first(300).each { |line| consume(line.dup) + consume(line.dup.freeze) }
  lines.first(200).each_slice(20) { |some| consume(some.join) + consume(some.join.freeze) }
  out = +""
  write(record(6), out)
  out.bytesize
  template(Array.new(200) { |i| { name: "<item & #{i}>", price: i / 3.0, odd: i.odd? } })
  indented(document)
  300.times { |i| calculator.evaluate("(a + #{i}) * 2 - rate / (1 + #{i % 7})") }
  begin
    calculator.evaluate("1 + nobody")
  rescue KeyError
    round
  end
  numbers
  flow
  shapes = Array.new(300) { |i| i.even? ? Square.new("s#{i}", i, tags: [:red]) : Shape.new("t#{i}", [i, i + 1, 2], tags: %i[blue thin]) }
  shapes.sort_by { |shape| [shape.perimeter, shape.name] }.group_by { |shape| shape.sides.size }.transform_values { |list| list.map(&:to_s).join(";").size }
  shapes.count { |shape| shape.has_red }
  shapes.each_slice(7).flat_map { |slice| slice.each_cons(2).map { |a, b| a.perimeter <=> b.perimeter } }.tally
  points = Array.new(400) { |i| Point.new(i * 37 % 101, i * 91 % 89) }
  points.sort.uniq.each_with_index.select { |point, i| i % 3 == 0 && point.x > 5 }.sum { |point, _| point.y }
  points.max + points.min
  Marshal.load(Marshal.dump(points.map(&:to_a)))
  keys = Array.new(2000) { |i| "key_#{i * 7 % 500}" }
  table = keys.each_with_object({}) { |key, hash| (hash[key.to_sym] ||= []) << key }
  table.merge(table) { |_, a, b| a + b }.reject { |_, list| list.size < 3 }.min_by { |key, _| key }
  packed = [round, 1.5, "name", 70_000].pack("nGa8N")
  packed.unpack("nGa8N")
  "Grüße aus der Ferne: straße, 東京, naïve".then { |s| [s.chars.uniq.size, s.upcase, s.tr("a-z", "b-za"), s.index("東"), s.each_char.to_a.rotate(3).join, s.scan(/\p{L}+/).size, s.unpack("U*").sum] }
  "The quick brown fox jumps over the lazy dog".split.map(&:capitalize).join("-").sub("Fox") { |m| m.reverse }.center(60, "*").squeeze("*").succ.hash
  words = text.split(/\W+/)
  words.tally.max_by(5, &:last).map(&:first)
  words.first(3000).each_with_object(Hash.new(0)) { |word, counts| counts[word[-3..] || word] += 1; counts[word.byteslice(1, 4)] += 1 }
  words.first(2000).map { |word| word.strip.chomp("s").downcase.intern.to_proc }.size
end
GC.start
