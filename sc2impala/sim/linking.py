"""Compilation of functions that call each other: numba optimises them once, as a kernel.

numba optimises every function together with everything that it calls, and turns it into machine
code, before it compiles the caller. With many small functions the innermost ones are then optimised
once for every function above them, which takes most of the time to compile. Here the code of a
function is only kept, and a kernel links and optimises the code of all functions that it needs.
"""

import itertools
from typing import Any, List

from numba.core import codegen, compiler

_number = itertools.count()


class PartCompiler(compiler.CompilerBase):
    """Compiles functions that are parts of kernels."""

    def define_pipelines(self) -> List[Any]:
        """Returns numba's own pipeline, with a library that is not optimised."""
        self.state.library = _Part(self.state.targetctx.codegen(), f'part{next(_number)}')
        return [compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)]


class KernelCompiler(compiler.CompilerBase):
    """Compiles functions that Python calls, with all parts that they need."""

    def define_pipelines(self) -> List[Any]:
        """Returns numba's own pipeline, with a library that links parts of parts."""
        self.state.library = _Kernel(self.state.targetctx.codegen(), f'kernel{next(_number)}')
        self.state.library.enable_object_caching()
        return [compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)]


class _Part(codegen.JITCodeLibrary):
    """The code of one function, neither optimised nor linked."""

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # There is no machine code.

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout


class _Kernel(codegen.JITCodeLibrary):
    """The code of a kernel with that of all functions below it."""

    def finalize(self) -> None:
        found: List[Any] = []
        for library in self._linking_libraries:
            _add(library, found)
        # LLVM leaves out a function that no code linked before it calls: callers come first.
        self._linking_libraries[:] = found[::-1]
        super().finalize()


def _add(library: Any, found: List[Any]) -> None:
    """Adds a library, after all that it needs."""
    if library not in found:
        for needed in library._linking_libraries:
            _add(needed, found)
        found.append(library)


class _WithoutEnvironments:
    """numba's code generator for functions that have no address: their environment is not set.

    An environment is used by calls from Python only.
    """

    def __init__(self, generator: Any):
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def set_env(self, env_name: str, env: Any) -> None:
        """Does nothing."""
