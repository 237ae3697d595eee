# Makefile of the probe that test_subseq.rb looks into strings with.
require "mkmf"

# In a build tree (see `run`) this would be the tree's own .ext: keep the result here.
$extout = nil

create_makefile("embed_probe")
