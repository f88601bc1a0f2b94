"""RQ jobs: another door to the same use cases. `main` starts workers, `bots` is what they do."""
