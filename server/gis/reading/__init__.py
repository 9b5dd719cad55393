"""Reading files, in a process of its own: nothing here may import more of the server than it must."""
