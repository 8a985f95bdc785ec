"""Compilation of the simulator's functions by numba, and the cache of compiled functions.

`compiled` marks a function that other compiled functions call. `kernel` marks one that Python
calls: it loops over games and is kept in a cache on disk. numba would only notice changes of the
file of the kernel itself, so that the folder of the cache is named by a hash of all sources of the
simulator.
"""

import functools
import hashlib
import os
import pathlib
import sys
from typing import Any, Callable, Dict, TypeVar

import numba
import numpy as np
from numba.core import caching, registry

from sc2impala.sim import file_lock, linking

_Function = TypeVar('_Function', bound=Callable[..., Any])

_OPTIONS: Dict[str, Any] = dict(nogil=True, error_model='numpy')
"""Divisions follow IEEE 754 as in NumPy, and other threads run during calls."""

_njit: Any = numba.njit  # Its type lacks some options.

TYPICAL_SECONDS = 30
"""Time to compile the functions of one map on two slow cores."""

_SOURCES = pathlib.Path(__file__).resolve().parent


def compiled(function: _Function) -> _Function:
    """Compiles a function that other compiled functions call; see `linking`.

    Functions that are made for every map need names of their own: code from the cache is linked by
    name, and processes number equal names independently of each other.
    """
    part: Any = _njit(
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=linking.PartCompiler,
        **_OPTIONS,
    )(function)
    if isinstance(part, registry.CPUDispatcher):
        part.__class__ = _Part
    return part


def uncompiled(function: _Function) -> _Function:
    """Returns the Python function of a compiled one: quicker for a few calls from Python."""
    return getattr(function, 'py_func', function)


class _Part(registry.CPUDispatcher):
    """A compiled function. Called from Python it runs as Python code, with the same result."""

    def __call__(self, *args: Any) -> Any:
        # As in compiled code, an overflow or a division by zero is no error.
        with np.errstate(all='ignore'):
            return self.py_func(*args)


def kernel(name: str) -> Callable[[_Function], _Function]:
    """Returns a decorator that compiles a function called from Python, cached on disk.

    Args:
      name: unique among all kernels; a kernel that is made for every map has the map in its name.
    """

    def decorate(function: _Function) -> _Function:
        dispatcher: Any = _njit(pipeline_class=linking.KernelCompiler, **_OPTIONS)(function)
        if not is_disabled():
            dispatcher._cache = _Cache(function, name)
        return dispatcher

    return decorate


@functools.lru_cache(maxsize=None)
def cache_folder() -> pathlib.Path:
    """Returns the folder of compiled functions, which is created if it does not exist.

    It lies in NUMBA_CACHE_DIR if that is set, else next to the sources if they can be written, else
    in the user's cache folder. Its name depends on all sources of the simulator, on the versions of
    Python, NumPy and numba, and on numba's options.
    """
    candidates = [_cache_beside_sources(), _user_folder() / 'sc2impala' / 'numba']
    if os.environ.get('NUMBA_CACHE_DIR'):
        candidates = [pathlib.Path(os.environ['NUMBA_CACHE_DIR']) / 'sc2impala']
    for parent in candidates:
        folder = parent / _fingerprint()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(str(folder), os.W_OK):
            return folder
    raise OSError(
        f'None of {[str(parent) for parent in candidates]} can be written; the simulator keeps its '
        'compiled functions there. Set NUMBA_CACHE_DIR to a folder that can be written.'
    )


def _cache_beside_sources() -> pathlib.Path:
    return _SOURCES / '__pycache__' / 'numba'


def _user_folder() -> pathlib.Path:
    return pathlib.Path(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'))


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sorted(_SOURCES.rglob('*.py')):
        if path.parent.name == 'api':
            continue
        digest.update(str(path.relative_to(_SOURCES)).encode())
        digest.update(path.read_bytes())
    options = {name: os.environ[name] for name in sorted(os.environ) if name.startswith('NUMBA_')}
    options.pop('NUMBA_CACHE_DIR', None)
    digest.update(repr([sys.version_info[:3], np.__version__, numba.__version__, options]).encode())
    return digest.hexdigest()[:20]


class _Locator(caching._CacheLocator):
    """Locates the cache of a kernel in `cache_folder`."""

    def __init__(self, name: str, py_file: str):
        self._name = name
        self._py_file = py_file  # numba names it in warnings.

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return ''  # The name of the folder depends on the sources.

    def get_disambiguator(self) -> str:
        return self._name

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> '_Locator':
        return cls(py_func.__kernel_name__, py_file)


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]


class _Cache(caching.FunctionCache):
    """numba's cache of one kernel, with the name of the kernel as the key.

    Kernels that are closures over the functions of a map have the same code, and numba would
    compare what they enclose, which is different in every process. Of processes that need the same
    kernel at the same time one compiles it, while the others wait. A cache that cannot be read or
    written costs time only.
    """

    _impl_class = _CacheImpl

    def __init__(self, function: Any, name: str):
        function.__kernel_name__ = self._kernel = name
        super().__init__(function)
        self._lock = file_lock.FileLock(cache_folder() / (name + '.lock'))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load(sig, target_context)
        if found is None:
            self._lock.acquire()
            found = self._load(sig, target_context)
            if found is None:
                announce()
            else:
                self._lock.release()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._save(sig, data)
        except OSError as error:
            print(f'The compiled simulator was not saved: {error}', file=sys.stderr)
        finally:
            self._lock.release()

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # A damaged file raises any exception of pickle or LLVM.
            return None

    def _save(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            raise
        except Exception:  # The index is damaged: begin a new one.
            self.flush()
            super().save_overload(sig, data)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._kernel


def is_disabled() -> bool:
    """Returns whether functions run as Python code, because NUMBA_DISABLE_JIT is set."""
    config: Any = numba.config
    return bool(config.DISABLE_JIT)


@functools.lru_cache(maxsize=None)
def announce() -> None:
    """Says, once in a process, that functions are being compiled."""
    print(
        f'sc2impala: compiling the simulator, once for this machine, about {TYPICAL_SECONDS} s ...',
        file=sys.stderr,
        flush=True,
    )
