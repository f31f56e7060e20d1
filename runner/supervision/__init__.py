"""What runs beside a measured program and outlives it: standard library only, copied to where a sandbox shows it."""
