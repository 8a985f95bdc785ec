"""The page in a browser: it needs Playwright and a Chromium."""

import shutil

import pytest

from sc2impala.report import __main__ as command

playwright = pytest.importorskip('playwright.sync_api', reason='needs Playwright')

NAMES = ('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')


@pytest.fixture
def browser():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with playwright.sync_playwright() as started:
        try:
            opened = started.chromium.launch(executable_path=path, args=['--no-sandbox'])
        except playwright.Error as error:
            pytest.skip(f'needs a Chromium: {str(error).splitlines()[0]}')
        yield opened
        opened.close()


@pytest.fixture
def report(resumed_run, finished_run, tmp_path):
    """The address of a report of two runs."""
    path = command.write([str(resumed_run), str(finished_run)], str(tmp_path / 'a.html'))
    return f'file://{path}'


@pytest.mark.long
@pytest.mark.parametrize('width', [1280, 400])
@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_the_page(browser, report, width, scheme):
    context = browser.new_context(
        viewport={'width': width, 'height': 900}, color_scheme=scheme, offline=True
    )
    page, errors = context.new_page(), []
    page.on('console', lambda message: errors.append(message.text))
    page.on('pageerror', lambda error: errors.append(str(error)))
    page.goto(report)
    assert page.evaluate('document.documentElement.scrollWidth') == width

    chart = page.locator('figure.chart').first
    area = chart.locator('.area')
    area.hover(position={'x': area.bounding_box()['width'] - 2, 'y': 50})
    tip = page.locator('.tip').inner_text()
    assert 'frames' in tip and 'resumed run' in tip and 'logs' in tip

    chart.locator('.legend button').first.click()
    assert not chart.locator('.series').first.is_visible()
    area.hover(position={'x': 20, 'y': 50})
    assert 'resumed run' not in page.locator('.tip').inner_text()

    page.locator('.choice button', has_text='by time').click()
    assert not chart.is_visible()
    assert page.locator('figure.chart').nth(1).is_visible()
    assert not errors
