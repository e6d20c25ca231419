"""How soon the console's pages come, and how much of them."""
