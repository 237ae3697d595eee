# frozen_string_literal: true

# Ruby 3.4's IO#close may never return while a signal handler writes to the
# pipe: about one Puma in a hundred hangs when told to stop (puma#3677), and the
# tests wait for it without limit. Such a server is killed, so that the test
# that looks at its status fails and is run again, alone.
Process.singleton_class.prepend(Module.new do
  %i[wait wait2].each do |name|
    define_method(name) do |pid = -1, flags = 0|
      next super(pid, flags) unless pid > 0 && flags == 0

      killer = Thread.new do
        sleep 60
        warn "end_hung_server: #{pid} does not stop: killed"
        Process.kill :KILL, pid
      end
      begin
        super(pid, flags)
      ensure
        killer.kill
      end
    end
  end
end)
