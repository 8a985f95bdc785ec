"""Serves one page on this machine."""

import contextlib
import http.server
import webbrowser

from sc2impala.errors import UserError
from sc2impala.runtime import console

HOST = '127.0.0.1'


def make_server(page: str, port: int) -> http.server.HTTPServer:
    """Returns a server of a page, on 127.0.0.1 alone; `serve_forever` runs it.

    Args:
      page: the HTML.
      port: the port; 0 for any free one.

    Raises:
      UserError: if the port cannot be used.
    """
    content = page.encode('utf-8')

    class Handler(http.server.BaseHTTPRequestHandler):
        """Answers every request of the page."""

        def do_GET(self) -> None:
            """Sends the page, and nothing else."""
            if self.path.partition('?')[0] != '/':
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header('Content-Type', 'text/html; charset=utf-8')
            self.send_header('Content-Length', str(len(content)))
            self.send_header('Cache-Control', 'no-store')
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(content)

        def log_message(self, *unused: object) -> None:
            """Logs nothing."""

    try:
        return http.server.HTTPServer((HOST, port), Handler)
    except OSError as error:
        raise UserError(
            f'--port={port} cannot be used ({error.strerror}), expected a free port, or 0 for any.'
        ) from error


def serve(page: str, port: int, open_browser: bool) -> None:
    """Serves a page until Ctrl-C.

    Args:
      page: the HTML.
      port: the port; 0 for any free one.
      open_browser: whether to open the page in a browser.

    Raises:
      UserError: if the port cannot be used.
    """
    with make_server(page, port) as server:
        address = f'http://{HOST}:{server.server_address[1]}/'
        console.say(f'{address} shows the episodes; Ctrl-C ends it')
        if open_browser:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
