"""Fixtures that open pages in Chromium; console messages and network requests fail the test."""

import json
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Error, sync_playwright

from conformance.report.files import replace_file
from conformance.report.page import html

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
HOW_TO_GET_ONE = (
    "No Chromium was found, and the page has to be opened in one."
    " Get it with `apt-get install chromium`, with"
    " `python -m playwright install chromium`, or name one you have in the variable CHROMIUM."
)
BASELINE = Path(__file__).parents[2] / "reports/baseline/report.json"


@pytest.fixture(scope="session")
def chromium():
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        except Error as error:
            pytest.fail(f"{HOW_TO_GET_ONE}\n{error}", pytrace=False)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Yield a function that opens a file in a new window; complaints fail the test at its end."""
    complaints, contexts = [], []

    def opened(path, address="", width=1280, **options):
        context = chromium.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend(_leaves(request.url, path)))
        page.goto(f"{path.as_uri()}{address}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _leaves(url, path):
    return [] if url.partition("#")[0] == path.as_uri() or url == "data:," else [f"asks for {url}"]


@pytest.fixture(scope="session")
def baseline():
    return json.loads(BASELINE.read_text(encoding="utf-8"))


@pytest.fixture
def write_page(tmp_path):
    def write(report):
        path = tmp_path / "report.html"
        replace_file(path, html.write(report))
        return path

    return write
