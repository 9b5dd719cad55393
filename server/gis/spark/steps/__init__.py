"""How single operations read on Spark; `compilers` lists them."""
