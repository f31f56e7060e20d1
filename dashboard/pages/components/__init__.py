"""What pages are built of: blocks, menus, inputs, tables, terms and parts of sentences."""
