"""Where the engine runs: in this process, or in one of its own that the web server asks."""
