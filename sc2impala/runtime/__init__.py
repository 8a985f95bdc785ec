"""Process-level tools of a run: console, logs, folder, manifest, signals, memory, seeds."""
