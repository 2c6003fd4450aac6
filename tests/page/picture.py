"""Write docs/page.png, the screenshot in the README: ``python tests/page/picture.py``."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from conftest import ARGUMENTS, BASELINE, NAMES
from playwright.sync_api import sync_playwright

from conformance.report.page import html

PICTURE = Path(__file__).parents[2] / "docs/page.png"


def main() -> None:
    """Write the screenshot of the baseline's page."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "report.html"
        page_file.write_text(html.write(json.loads(BASELINE.read_text())), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(page_file.as_uri())
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
