"""The HTTP service: `cli` starts it, `app` composes it, `supervisor` keeps it running, `settings` say what it uses."""
