"""The page in a real browser: a script uses it as a reader does, and writes what it saw."""

import http.server
import json
import os
import queue
import shutil
import subprocess
import threading

import pytest

from sc2impala.watch import page, trace
from tests.watch import traces

BROWSERS = (
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'chrome',
)
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
DEADLINE_SECS = 120

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(BROWSER is None, reason=f'no browser: none of {", ".join(BROWSERS)}'),
]

USE = """
<script>
window.addEventListener('load', async () => {
  const seen = {errors: []};
  window.addEventListener('error', (event) => seen.errors.push(event.message));
  const hosts = [...document.querySelectorAll('.sc2impala-watch')];
  const root = hosts[0].shadowRoot;
  const text = (selector) => [...root.querySelectorAll(selector)].map((e) => e.innerText.trim());
  const pixels = () => root.querySelector('canvas.game').toDataURL();
  const key = (name) => document.dispatchEvent(new KeyboardEvent('keydown', {key: name}));
  try {
    await Promise.all(hosts.map((host) => host.watch.ready));
    // The first picture is drawn before the page has its layout.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    seen.players = hosts.length;
    ACTIONS
  } catch (error) {
    seen.errors.push(String(error));
  }
  fetch('/seen', {method: 'POST', body: JSON.stringify(seen)});
});
</script>
"""


def use(content, actions, tmp_path, width=1280):
    """Opens a page, runs JavaScript in it, and returns its object `seen`."""
    content = (content + USE.replace('ACTIONS', actions)).encode('utf-8')
    posted = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        """Sends the page, and takes what its script has seen."""

        def do_GET(self):
            self.send_response(200)
            self.send_header('Content-Type', 'text/html; charset=utf-8')
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self):
            posted.put(self.rfile.read(int(self.headers['Content-Length'])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *unused):
            """Logs nothing."""

    with http.server.HTTPServer(('127.0.0.1', 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f'http://127.0.0.1:{server.server_address[1]}/'
        browser = start_browser(address, tmp_path, width)
        try:
            seen = json.loads(posted.get(timeout=DEADLINE_SECS).decode('utf-8'))
        finally:
            browser.kill()
            browser.wait()
            server.shutdown()
            thread.join()
    assert not seen['errors'], seen['errors']
    return seen


def start_browser(address, tmp_path, width):
    command = [
        BROWSER,
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--no-proxy-server',
        '--remote-debugging-port=0',
        f'--window-size={width},900',
        f'--user-data-dir={tmp_path / "profile"}',
        address,
    ]
    environment = dict(os.environ, HOME=str(tmp_path))
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )


def test_a_reader_scrubs_and_switches_a_layer(tmp_path):
    actions = """
    seen.title = text('h2');
    seen.first = [text('.function'), text('.arguments'), text('.hud-score'), text('.share')];
    seen.unused = text('.unused h4 span:first-child');
    const before = pixels();
    const scrub = root.querySelector('.scrub');
    scrub.value = 6;
    scrub.dispatchEvent(new Event('input'));
    seen.scrubbed = [text('.time'), text('.function'), text('.hud-score')];
    seen.unusedThen = text('.unused h4 span:first-child');
    key('ArrowRight');
    seen.stepped = text('.time');
    key('Home');
    seen.same = pixels() === before;
    const layer = root.querySelector('.layer');
    seen.layers = [...layer.options].map((option) => option.textContent);
    layer.selectedIndex = 1;
    layer.dispatchEvent(new Event('change'));
    await hosts[0].watch.ready;
    seen.overlaid = pixels() !== before;
    seen.legend = text('.legend');
    layer.selectedIndex = 2;
    layer.dispatchEvent(new Event('change'));
    await hosts[0].watch.ready;
    seen.leftOut = text('.legend');
    key('End');
    seen.end = [text('.time'), text('.hud-score'), text('.hud-time')];
    key('2');
    await hosts[0].watch.ready;
    seen.pressed = [...root.querySelectorAll('.chip')].map((e) => e.ariaPressed);
    seen.wide = root.querySelector('.watch').scrollWidth <= innerWidth;
    """
    seen = use(page.document([traces.make()]), actions, tmp_path)
    assert seen['players'] == 1 and seen['title'] == ['Meadow']
    function, arguments, score, shares = seen['first']
    assert function == ['Move_screen'] and arguments == ['screen (3, 1) · queued 1']
    assert score == ['0'] and shares[:3] == ['25.0 %', 'not available', '75.0 %']
    assert seen['unused'] == []
    assert seen['scrubbed'] == [['step 2 of 5 · frame 6 of 20'], ['no_op'], ['0']]
    assert seen['unusedThen'] == ['screen', 'queued']
    assert seen['stepped'] == ['step 3 of 5 · frame 8 of 20']
    assert seen['same'] and seen['overlaid']
    assert seen['layers'] == ['No layer', 'screen player relative', 'screen height map']
    assert 'self' in seen['legend'][0]
    assert seen['leftOut'] == ['screen height_map was left out of the file']
    assert seen['end'] == [['step 5 of 5 · frame 20 of 20'], ['10'], ['ended 0:01']]
    assert seen['pressed'] == ['false', 'true'] and seen['wide']


def test_two_players_on_a_narrow_page(tmp_path):
    actions = """
    seen.names = text('.player-name b');
    seen.scripts = text('.note');
    seen.wide = document.documentElement.scrollWidth <= innerWidth;
    root.querySelector('.play').click();
    while (hosts[0].watch.clock.playing) await new Promise((resolve) => setTimeout(resolve, 50));
    seen.time = text('.time');
    """
    both = [traces.make(), traces.make(trace.SCRIPT)]
    seen = use(page.document(both), actions, tmp_path, width=400)
    assert seen['names'] == ['runs/<b>&', 'runs/<b>&']
    assert seen['scripts'] == ['A script has no probabilities.'] and seen['wide']
    assert seen['time'] == ['step 5 of 5 / 5 of 5 · frame 20 of 20']


def test_two_embedded_players_do_not_affect_each_other_or_the_page(tmp_path):
    actions = """
    hosts[0].watch.clock.seek(12);
    seen.times = hosts.map((e) => e.shadowRoot.querySelector('.time').innerText);
    seen.color = getComputedStyle(document.querySelector('h4')).color;
    seen.names = Object.keys(window).filter((name) => ['Watch', 'Episode', 'make'].includes(name));
    key('ArrowRight');
    seen.untouched = hosts[1].watch.clock.frame;
    """
    body = '<style>h4 { color: rgb(1, 2, 3); }</style><h4>A report</h4>'
    content = f'<!DOCTYPE html><html><body>{body}' + 2 * page.embed([traces.make()])
    seen = use(content, actions, tmp_path)
    assert seen['players'] == 2 and seen['color'] == 'rgb(1, 2, 3)' and not seen['names']
    assert [time.split(' ·')[0] for time in seen['times']] == ['step 4 of 5', 'step 1 of 5']
    assert seen['untouched'] == 0
