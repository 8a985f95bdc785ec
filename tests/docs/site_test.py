"""The site builds without a warning: every page is in the navigation, every link has a target."""

import os
import re
import subprocess
import sys

import pytest

from tests.docs import documents
from tests.house import sources

pytest.importorskip('mkdocs', reason='Python 3.7 has no mkdocs')


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    """The folder of the built site."""
    folder = str(tmp_path_factory.mktemp('site'))
    result = subprocess.run(
        [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', folder],
        cwd=sources.ROOT,
        env=dict(os.environ, NO_MKDOCS_2_WARNING='1'),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    return folder


def page(site, *path):
    with open(os.path.join(site, *path, 'index.html'), encoding='utf-8') as file:
        return file.read()


@pytest.mark.long
def test_all_documents_are_pages(site):
    for name in documents.names():
        path = os.path.splitext(name)[0].split('/')[1:]
        assert os.path.isfile(os.path.join(site, *path, 'index.html')), name


def test_the_overview_is_the_readme(site):
    text = page(site)
    assert 'Algorithms' in text and 'href="tutorial/"' in text
    assert 'docs/tutorial' not in text


def test_flags_are_those_of_the_settings(site):
    text = re.sub(r'<[^>]+>', '', page(site, 'reference', 'flags'))
    assert '--replay_proportion=X' in text and '--exploit_every_frames=N' in text
    assert 'fraction of a batch that is replayed' in text


def test_the_python_api_is_that_of_the_docstrings(site):
    text = page(site, 'reference', 'python')
    names = ['load', 'evaluation.loaded_agent.LoadedAgent.act', 'learner.algorithm.Algorithm']
    for name in names:
        assert f'id="sc2impala.{name}"' in text, name
