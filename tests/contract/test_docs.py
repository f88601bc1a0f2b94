"""The published document and its reference, as the running service serves them."""

import re

import httpx
import pytest

from service.routes.docs import ASSETS, OURS
from tests.contract.published import DOCUMENT
from tests.contract.wire import asked
from tests.service.players import good


def test_the_document_is_served_as_it_is_and_may_be_cached(client: httpx.Client) -> None:
    answer = client.get("/openapi.json")
    assert good(answer) == DOCUMENT
    assert "public" in answer.headers["cache-control"]
    again = client.get("/openapi.json", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == DOCUMENT


def test_nothing_on_the_reference_page_comes_from_elsewhere(client: httpx.Client) -> None:
    page = client.get("/docs", headers={"Accept": "text/html"})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(each.split(" ", 1) for each in page.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
    own = {name: client.get(f"/docs/{name}").text for name in ASSETS if (OURS / name).exists()}
    loaded = re.findall(r'(?:src|href)="([^"#][^"]*)"', page.text)
    for name, text in own.items():
        loaded += re.findall(r'(?:from|read\()\s*"([^"]*)"', text) if name.endswith(".js") else []
    assert set(loaded) == {f"/docs/{name}" for name in ASSETS} | {"/openapi.json"}
    for text in (page.text.replace("<!doctype html>", ""), *own.values()):
        assert "//" not in re.sub(r"(^|[ ;,])// .*", "", text, flags=re.MULTILINE)
        assert not re.search(r"\burl\(|@import|style=|\bon[a-z]+=\"", text), (
            "the policy would refuse it, or it is elsewhere"
        )


@pytest.mark.parametrize("name", ASSETS)
def test_every_file_of_the_reference_is_served_with_its_type(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/docs/{name}", headers={"Accept": "text/css"})
    assert answer.status_code == 200
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == ASSETS[name][1]
    assert client.get(f"/docs/{name}", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("name", ["swagger-ui-bundle.js.map", "docs.html", "LICENSE", "..", "%2e%2e"])
def test_no_other_file_is_served(url: str, name: str) -> None:
    status, answer = asked(url, f"GET /docs/{name}")
    assert (status, '"code":"not_found"' in answer) == (404, True)


def test_the_bare_address_leads_to_the_reference(client: httpx.Client) -> None:
    answer = client.get("/", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (307, "/docs")
