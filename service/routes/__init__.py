"""HTTP handlers: decode, authenticate, call one use case, encode. Their docstrings are the API's documentation."""
