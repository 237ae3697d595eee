# Tests of IO#close while another thread, in a trap handler, uses the IO.
#
# ProofCloseInTrap: fails on a stock Ruby, passes on a patched one.
require "minitest/autorun"

class ProofCloseInTrap < Minitest::Test
  # Blocks the main thread in a call on io inside a trap handler; closes io from
  # another thread.  The closer's answer in 10 s, and what the handler rescued.
  def close_under(io)
    rescued = nil
    entered = Queue.new
    old = trap(:USR1) do
      entered << true
      yield io
    rescue IOError => e
      rescued = e
    end
    closer = Thread.new do
      entered.pop
      sleep 0.2 # until the handler is in its system call
      io.close
      :closed
    end
    Process.kill(:USR1, Process.pid)
    answer = closer.join(10)&.value
    closer.kill
    [answer, rescued&.message]
  ensure
    trap(:USR1, old) if old
  end

  def test_writer
    reader, writer = IO.pipe
    begin
      loop { writer.write_nonblock("x" * 4096) }
    rescue IO::WaitWritable # full: one more byte blocks
    end
    assert_equal [:closed, "stream closed in another thread"], close_under(writer) { _1.syswrite("x") }
    reader.close
  end

  def test_reader
    reader, writer = IO.pipe
    assert_equal [:closed, "stream closed in another thread"], close_under(reader) { _1.sysread(1) }
    writer.close
  end
end
