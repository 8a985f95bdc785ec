import threading
import urllib.error
import urllib.request

import pytest

from sc2impala.errors import UserError
from sc2impala.watch import server


@pytest.fixture
def running():
    with server.make_server('<p>an episode – zwölf</p>', 0) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def read(running, path):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open(f'http://127.0.0.1:{running.server_address[1]}{path}', timeout=10)


def test_serves_the_page_on_this_machine_alone(running):
    assert running.server_address[0] == '127.0.0.1'
    with read(running, '/?a=b') as response:
        assert response.read().decode() == '<p>an episode – zwölf</p>'
        assert response.headers['Content-Type'] == 'text/html; charset=utf-8'


def test_serves_nothing_else(running):
    with pytest.raises(urllib.error.HTTPError, match='404'):
        read(running, '/../setup.py')


def test_a_port_in_use(running):
    port = running.server_address[1]
    with pytest.raises(UserError, match=f'--port={port} cannot be used .*, expected a free port'):
        server.make_server('', port)
