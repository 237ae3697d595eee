# Selects on a socket pair through the extension and libev, as Puma does.
require "nio"
require "socket"

NIO.engine == "libev" or abort "nio4r runs on #{NIO.engine}, not on its extension"
reader, writer = UNIXSocket.pair
selector = NIO::Selector.new
monitor = selector.register(reader, :r)
selector.select(0) and abort "an empty socket is readable"
writer << "x"
selector.select(5) == [monitor] or abort "a written socket is not readable"
monitor.readable? && monitor.io.readpartial(1) == "x" or abort "the byte did not arrive"
Thread.new { selector.wakeup }
selector.select(5)
selector.close
puts "nio4r #{NIO::VERSION}: selector works"
