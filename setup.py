import os
import re

import setuptools

HERE = os.path.dirname(os.path.abspath(__file__))


def read(*path):
    with open(os.path.join(HERE, *path), encoding='utf-8') as file:
        return file.read()


# TensorFlow 1.15 on Python 3.7, a current one on Python 3.11 and newer; nothing between is claimed.
OLD = '; python_version < "3.8"'
NEW = '; python_version >= "3.11"'

# The site of the documents, see scripts/docs.sh.
DOCS = [
    'mkdocs>=1.6,<2' + NEW,
    'mkdocs-material>=9.5' + NEW,
    'mkdocstrings[python]>=0.27' + NEW,
]

setuptools.setup(
    name='sc2impala',
    version=re.search(r"__version__ = '(.*)'", read('sc2impala', '__init__.py')).group(1),
    description='IMPALA with CLEAR replay for StarCraft II mini-games, with a simulator of them',
    long_description=read('README.md'),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    python_requires='>=3.7,!=3.8.*,!=3.9.*,!=3.10.*',
    packages=setuptools.find_packages(include=['sc2impala', 'sc2impala.*']),
    package_data={
        'sc2impala.sim.api.tables': ['*.csv'],
        'sc2impala.watch': ['assets/*.css', 'assets/*.js'],
        'sc2impala.zoo': ['agents/*/*'],
        'sc2impala.report': ['*.css', '*.js'],
    },
    install_requires=[
        'tensorflow==1.15.*' + OLD,
        'tensorflow>=2.20' + NEW,
        'dm-sonnet==2.0.2',
        'PySC2==4.0.0' + OLD,
        'pysc2_evolved>=1.1.1' + NEW,
        # What TensorFlow 1.15 and PySC2 4.0 were built with; they do not say so themselves.
        'protobuf<3.21' + OLD,
        'numpy>=1.18,<1.19' + OLD,
        'importlib_metadata' + OLD,
        'numpy' + NEW,
        'numba>=0.56,<0.57' + OLD,
        'numba>=0.61' + NEW,
        'absl-py>=1.4',
        'matplotlib>=3.5',
        'pillow>=9.0',
        # TensorFlow 1.15 brings its own; since 2.21 TensorFlow brings none.
        'tensorboard>=1.15' + OLD,
        'tensorboard>=2.20' + NEW,
        'zstandard>=0.21',
    ],
    extras_require={
        # TensorFlow 1.15 finds the GPU by itself, if CUDA 10.0 is installed.
        'gpu': ['tensorflow[and-cuda]>=2.20' + NEW],
        # Gymnasium for Python 3.7 needs a NumPy that TensorFlow 1.15 cannot use.
        # Wrappers of older ones count the steps of vector environments wrongly, see
        # docs/guides/gymnasium.md.
        'gym': ['gymnasium>=1.4,<2' + NEW],
        'examples': ['gymnasium>=1.4,<2' + NEW, 'sb3-contrib>=2.9,<3' + NEW],
        # Trackers: --wandb_project, --mlflow_uri. For a server of MLflow mlflow-skinny suffices.
        'wandb': ['wandb>=0.16'],
        'mlflow': ['mlflow>=1.30'],
        'docs': DOCS,
        'dev': DOCS
        + [
            'gymnasium>=1.4,<2' + NEW,
            'hypothesis',
            'mypy' + NEW,
            'pytest',
            'pytest-xdist',
            'ruff' + NEW,
        ],
    },
    entry_points={'console_scripts': ['sc2impala = sc2impala.commands:run']},
    classifiers=[
        'License :: OSI Approved :: Apache Software License',
        'Programming Language :: Python :: 3.7',
        'Programming Language :: Python :: 3.11',
        'Programming Language :: Python :: 3.12',
        'Programming Language :: Python :: 3.13',
        'Topic :: Scientific/Engineering :: Artificial Intelligence',
    ],
)
