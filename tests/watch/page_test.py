import json
import os
import re

import numpy as np
import pytest

from sc2impala.watch import packing, page, trace
from tests.watch import traces


def data_of(text):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', text).group(1))


def test_the_data_is_the_trace():
    made = traces.make()
    (data,) = data_of(page.document([made]))
    assert data['version'] == trace.VERSION and data['player']['name'] == 'runs/<b>&'
    assert data['world']['unit_types'][0]['name'] == 'Marine'
    assert [each['number'] for each in data['episodes']] == [0, 1]
    episode = data['episodes'][1]
    assert episode['score'] == 10 and episode['steps'] == 5
    np.testing.assert_array_equal(packing.unpack(episode['units']['x']), made.episodes[1].units.x)
    heat = packing.unpack(episode['choices']['heat']['screen'])
    np.testing.assert_array_equal(heat, made.episodes[1].choices.heat['screen'])


def test_names_cannot_break_the_page():
    made = traces.make()
    made = made._replace(player=made.player._replace(name='</script><script>alert(1)</script>'))
    text = page.document([made])
    assert '<script>alert' not in text
    assert data_of(text)[0]['player']['name'] == '</script><script>alert(1)</script>'


def test_the_page_needs_no_network():
    text = page.document([traces.make(), traces.make(trace.SCRIPT)])
    program = re.sub(r'<script type="application/json">.*?</script>', '', text)
    assert not re.findall(r'https?://|src=|@import|url\(', program)


def test_all_files_of_the_program_are_in_the_page():
    folder = os.path.join(os.path.dirname(page.__file__), 'assets')
    assert sorted(os.listdir(folder)) == sorted([*page.SCRIPTS, page.STYLE])
    text = page.embed([traces.make()])
    for name in [*page.SCRIPTS, page.STYLE]:
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            assert page.to_ascii(file.read()) in text


def test_the_player_is_ascii_for_pages_of_any_encoding():
    assert page.to_ascii("'1\u00d7'") == r"'1\u00d7'"
    assert page.embed([traces.make()]).isascii()


def test_an_embedded_player_is_a_part_of_a_page():
    text = page.embed([traces.make()])
    assert (
        '<html' not in text and '<body' not in text and 'data-whole-page' not in text.split('>')[0]
    )


@pytest.mark.parametrize('count', [0, 3])
def test_number_of_players(count):
    with pytest.raises(ValueError, match=f'traces has {count} traces, expected 1 or 2'):
        page.embed([traces.make()] * count)
