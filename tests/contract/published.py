"""The document that this code publishes, made without a running service."""

from litestar import Litestar

from service.app import HANDLERS
from service.openapi import document

APP = Litestar(HANDLERS, openapi_config=None, logging_config=None)
DOCUMENT = document(APP)
