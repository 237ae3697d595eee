# frozen_string_literal: true

# Real gems at work, in the shape that Ruby's own benchmarks have; the texts
# are made here.  bench/gems pins the versions.
module Bench
  WORDS = %w[parser string slice parent buffer encoding request header field value cache table].freeze

  def self.sentence(seed, words) = Array.new(words) { |i| WORDS[(seed * 7 + i * i * 5) % WORDS.size] }.join(" ")

  group("macro") do
    # One call parses a text of 250,000 lines, as Ruby's benchmark does.
    row("fluentd, LTSV", 1, gem: "fluentd", yjit: true, show: true) do
      # Not as a gem: the parser needs few of those that all of fluentd depends on.
      gem_first("fluentd")
      require "fluent/engine"
      require "fluent/parser"
      messages = ["Skipping user-data validation. No user-data found.", "Python version change detected. Purging cache",
                  "No instance datasource found.", "No kernel command line url found.", "No local datasource found"]
      time = Time.utc(2023, 7, 27, 9)
      text = Array.new(1000) { |i| "time:#{time + i}\tmodule:main.py\tlevel:DEBUG\tmessage:#{messages[i % 5]}\n" }.join * 250
      parser = Fluent::Plugin::LabeledTSVParser.new
      parser.configure(Fluent::Config::Element.new("parse", "", {}, []))
      lambda { |n| last = nil; n.times { parser.parse(text) { |_, record| last = record } }; last }
    end

    row("json_pure, parse", 60, gem: "json_pure", yjit: true, show: true) do
      gem_first("json_pure")
      require "json/pure"
      text = JSON.generate(
        Array.new(100) do |i|
          { "date" => "2011-07-#{i % 28 + 1}", "team1" => sentence(i, 2), "team2" => sentence(i + 3, 2), "score" => [i % 5, i % 3],
            "note" => "\"#{sentence(i, 12)}\"\n", "live" => i.odd?, "odds" => { "home" => i / 7.0, "away" => nil } }
        end
      )
      lambda { |n| parsed = nil; n.times { parsed = JSON::Pure::Parser.new(text).parse }; parsed }
    end

    row("liquid-c, render", 300, gem: "liquid-c", yjit: true, show: true) do
      require "liquid/c"
      template = Liquid::Template.parse(<<~LIQUID)
        <h1>{{ shop.name | upcase | escape }}</h1>
        {% for product in products %}
          <li class="{% cycle 'odd', 'even' %}">{{ product.title | truncate: 20 }} {{ forloop.index }}
          {% if product.price > 50 %}<b>{{ product.price | times: 1.19 | round: 2 }}</b>{% else %}{{ product.price }}{% endif %}
          {% assign tags = product.tags | split: "," | sort %}{% for tag in tags %}<a href="/tags/{{ tag | url_encode }}">{{ tag }}</a>{% endfor %}
          {{ product.text | replace: "string", "<i>string</i>" | strip_html | truncatewords: 12 }}</li>
        {% endfor %}
      LIQUID
      products = Array.new(30) do |i|
        { "title" => sentence(i, 4), "price" => i * 7 % 100, "tags" => sentence(i, 5).tr(" ", ","), "text" => sentence(i, 30) }
      end
      data = { "shop" => { "name" => "Tools & more" }, "products" => products }
      lambda { |n| html = nil; n.times { html = template.render!(data) }; html }
    end

    row("graphql-c_parser, parse", 200, gem: "graphql", yjit: true, show: true) do
      require "graphql"
      require "graphql/c_parser"
      fields = Array.new(40) do |i|
        "field#{i}: node(id: \"#{i}\", first: #{i}, filter: {text: \"#{sentence(i, 4)}\", tags: [A, B]}) @include(if: $flag) " \
        "{ id name ... on User { login email(kind: PRIMARY) } edges { cursor node { ...part } } }"
      end
      query = "query Q($flag: Boolean = true, $ids: [ID!]!) { #{fields.join("\n")} } fragment part on Node { id createdAt }"
      lambda { |n| tree = nil; n.times { tree = GraphQL.parse(query) }; tree && tree.to_query_string }
    end

    row("activerecord with sqlite3", 12, gem: "activerecord", yjit: true, show: true) do
      require "active_record"
      ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
      ActiveRecord::Schema.verbose = false
      ActiveRecord::Schema.define do
        create_table(:posts) do |t|
          t.string :title, :body, :kind
          t.integer :votes
          t.timestamps
        end
        create_table(:comments) do |t|
          t.integer :post_id
          t.text :body
          t.string :tags
          t.datetime :published_at
        end
      end
      const_set(:Comment, Class.new(ActiveRecord::Base) { belongs_to :post, class_name: "Bench::Post" })
      const_set(:Post, Class.new(ActiveRecord::Base) { has_many :comments, class_name: "Bench::Comment" })
      time = Time.utc(2026, 11, 30)
      Post.insert_all!(Array.new(100) do |i|
        { title: sentence(i, 4), body: sentence(i, 15), kind: WORDS[i % 12], votes: i % 30, created_at: time + i, updated_at: time + i }
      end)
      Comment.insert_all!(Array.new(2000) do |i|
        { post_id: i / 20 + 1, body: sentence(i, 6), tags: sentence(i, 3), published_at: time + i }
      end)
      lambda do |n|
        last = nil
        n.times do
          Post.includes(:comments).order(:id).limit(100).each do |post|
            last = [post.title, post.body, post.kind, post.votes, post.updated_at.to_i]
            post.comments.each { |comment| last = [*last.first(5), comment.body, comment.published_at.to_i] }
          end
        end
        last
      end
    end

    row("psych, load", 100, yjit: true, show: true) do
      require "psych"
      text = Psych.dump(
        Array.new(20) do |i|
          { "name" => sentence(i, 3), "on" => { "push" => { "branches" => WORDS.first(i % 5 + 1) }, "schedule" => nil },
            "env" => { "LEVEL" => i, "RATIO" => i / 3.0, "FLAG" => i.even? },
            "steps" => Array.new(4) { |j| { "id" => "step-#{j}", "run" => "#{sentence(i + j, 6)}\n#{sentence(j, 5)}\n", "with" => { "x" => sentence(j, 2) } } } }
        end
      )
      lambda { |n| data = nil; n.times { data = Psych.load(text) }; data }
    end
  end
end
