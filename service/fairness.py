"""Seeds and commitments: what lets players check afterwards that nobody chose the cards."""

import hashlib
import secrets


def new_seed() -> str:
    """A fresh 32-byte seed as 64 hex digits."""
    return secrets.token_hex(32)


def commitment(game_id: str, seed: str) -> str:
    """What is published before the first deal, and can only be opened with the seed."""
    return "sha256:" + hashlib.sha256(f"tapete/1:{game_id}:{seed}".encode()).hexdigest()
