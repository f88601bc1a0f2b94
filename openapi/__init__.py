"""The published document as files, and what makes and checks them. README.md says what is here.

The service serves `openapi.json` and `openapi-3.0.json` as they stand; a test holds them against the code.
"""
