"""Parses pages of a report with Python's parser of HTML."""

import html.parser
import json
import re

VOID = {'meta', 'br', 'wbr', 'path', 'hr', 'img', 'link', 'input'}


class Page(html.parser.HTMLParser):
    """Checks that elements are nested, and collects addresses, ids, texts and data of charts."""

    def __init__(self, content):
        super().__init__()
        self.links, self.ids, self.loaded, self.charts = [], set(), [], []
        self._open, self._texts = [], []
        self.feed(content)
        self.close()
        assert not self._open, self._open
        self.text = re.sub(r'\s+', ' ', ' '.join(self._texts))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        assert values.get('id') not in self.ids or 'id' not in values, values
        self.ids.update(filter(None, [values.get('id')]))
        if tag == 'a':
            self.links.append(values['href'])
        self.loaded += [values[name] for name in ('src', 'data', 'poster') if name in values]
        if tag == 'link':
            self.loaded.append(values['href'])
        if tag not in VOID:
            self._open.append((tag, values))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self._open and self._open[-1][0] == tag, (tag, self._open[-3:])
            self._open.pop()

    def handle_data(self, data):
        tag, values = self._open[-1] if self._open else ('', {})
        if values.get('type') == 'application/json':
            self.charts.append(json.loads(data))
        elif tag not in ('style', 'script'):
            self._texts.append(data)


def read(path):
    """The page in a file."""
    with open(str(path), encoding='ascii') as file:
        return Page(file.read())
