"""A real browser for pages: headless Chromium, opened from disk, and how it is asked."""

import json
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

# Put on every module that opens a page.
NEEDS_CHROMIUM = [
    pytest.mark.skipif(
        CHROMIUM is None or DRIVER is None,
        reason="needs chromium and chromedriver (Debian: apt install chromium chromium-driver)",
    ),
    # Sockets that selenium leaves to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def emulate(driver, scheme, width=1280, height=900):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def requests(driver):
    """Addresses of everything that was asked for, but what the page itself offers to save."""
    messages = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in asked if not url.startswith("blob:")]


def one(driver, selector):
    return driver.find_element("css selector", selector)


def every(driver, selector):
    return driver.find_elements("css selector", selector)


def click(driver, selector):
    """Of the first such element, wherever it stands."""
    driver.execute_script("document.querySelector(arguments[0]).click()", selector)


def press(driver, *keys):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    ActionChains(driver).send_keys(*(getattr(Keys, key) for key in keys)).perform()


def until(driver, condition):
    """Wait for what a busy machine does late."""
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(driver, 900, poll_frequency=0.05).until(condition)
