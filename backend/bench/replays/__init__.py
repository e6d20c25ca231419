"""Whether runs come out again byte for byte: on another machine, without a database."""
