"""The sequences in the saved state of a replay table: names, contents and checks.

Uncompressed, entry `component_<i>` is an array [sequences, ...]. Compressed, there are instead

* layout: text, how the sequences are compressed, followed by one line per component;
* lengths: int64 [sequences], the size of each compressed sequence in bytes;
* pages: int32 [pages], the page numbers of all sequences, one sequence after the other;
* slab_<i>: uint8 [pages, PAGE_BYTES], all pages of the table, including unused ones.
"""

from typing import Dict, Iterator, List, Mapping, Sequence, Tuple, Union

import numpy as np

from sc2impala.replay.codec import SequenceCodec, Spec
from sc2impala.replay.pages import PAGE_BYTES, SLAB_PAGES, num_pages, read_pages

Place = Tuple[np.ndarray, int]
"""Location of a compressed sequence: its page numbers, int32 [pages], and its size in bytes."""

Defaults = Mapping[int, np.ndarray]
"""Component index -> array [1, ...], the value of a component that a state lacks."""


def check_array(
    name: str, array: np.ndarray, shape: Sequence[int], dtype: Union[np.dtype, type]
) -> None:
    """Raises: ValueError: if the array has another shape or dtype."""
    if array.shape != tuple(shape) or array.dtype != dtype:
        raise ValueError(
            f'`{name}` must be {np.dtype(dtype)} {list(shape)}, but is {array.dtype} '
            f'{list(array.shape)}.'
        )


def component(index: int) -> str:
    """Returns the entry of a component of uncompressed sequences."""
    return f'component_{index}'


def is_compressed(state: Mapping[str, np.ndarray]) -> bool:
    """Returns whether the sequences of a state are compressed."""
    return 'layout' in state


def num_saved_components(
    state: Mapping[str, np.ndarray], specs: Sequence[Spec], defaults: Defaults
) -> int:
    """Returns the number of components that this state must have.

    All of them, unless it has fewer and `defaults` has values for all those that it lacks.
    """
    if is_compressed(state):
        num_saved = state['layout'].size - 1
    else:
        num_saved = sum(name.startswith('component_') for name in state)
    missing = range(num_saved, len(specs))
    return num_saved if missing and all(i in defaults for i in missing) else len(specs)


def names(state: Mapping[str, np.ndarray], num_components: int) -> List[str]:
    """Returns the names of all entries of sequences that this state must have."""
    if not is_compressed(state):
        return [component(index) for index in range(num_components)]
    return ['layout', 'lengths', 'pages'] + _slab_names(state)


def list_compressed(
    layout: Sequence[str], places: Sequence[Place], slabs: Sequence[np.ndarray]
) -> Dict[str, np.ndarray]:
    """Returns the entries of compressed sequences; the slabs are not copied."""
    state = {
        'layout': np.asarray(layout),
        'lengths': np.array([length for _, length in places], np.int64),
        'pages': np.concatenate([np.zeros([0], np.int32)] + [numbers for numbers, _ in places]),
    }
    state.update((f'slab_{index}', slab) for index, slab in enumerate(slabs))
    return state


def compressed(
    state: Mapping[str, np.ndarray], layout: Sequence[str], size: int
) -> Tuple[List[np.ndarray], List[Place]]:
    """Returns the slabs of a state with compressed sequences, not copied, and their places.

    Raises:
      ValueError: the state does not have `size` sequences of this layout.
    """
    saved_layout = state['layout'].tolist()
    if saved_layout != list(layout):
        raise ValueError(f"`state['layout']` must be {list(layout)}, but is {saved_layout}.")
    slabs = [state[name] for name in _slab_names(state)]
    for index, slab in enumerate(slabs):
        rows = SLAB_PAGES if index < len(slabs) - 1 else min(slab.size // PAGE_BYTES, SLAB_PAGES)
        check_array(f"state['slab_{index}']", slab, [rows, PAGE_BYTES], np.uint8)
    lengths, numbers = state['lengths'], state['pages']
    check_array("state['lengths']", lengths, [size], np.int64)
    if size and lengths.min() < 1:
        raise ValueError("`state['lengths']` must be positive.")
    ends = np.cumsum([num_pages(length) for length in lengths.tolist()], dtype=np.int64)
    check_array("state['pages']", numbers, [int(ends[-1]) if size else 0], np.int32)
    num_saved = sum(map(len, slabs))
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < num_saved:
        raise ValueError(f"`state['pages']` must be numbers of the {num_saved} pages saved.")
    if size and lengths.max() > num_saved * PAGE_BYTES:
        raise ValueError("`state['lengths']` must be sizes of sequences that fit into the pages.")
    if len(np.unique(numbers)) < numbers.size:
        raise ValueError("`state['pages']` must be different numbers.")
    return slabs, list(zip(np.split(np.array(numbers), ends[:-1]), lengths.tolist()))


def sequences(
    state: Mapping[str, np.ndarray], specs: Sequence[Spec], size: int, defaults: Defaults
) -> Iterator[List[np.ndarray]]:
    """Yields all sequences of a state one by one.

    Args:
      state: compressed or uncompressed sequences.
      specs: shape and dtype of each component.
      size: number of sequences.
      defaults: the values of components that the state lacks; see `num_saved_components`.

    Yields:
      For each spec an array [1, ...], which is valid until the next one is yielded.

    Raises:
      ValueError: the state does not have `size` sequences of these specs.
    """
    num_saved = num_saved_components(state, specs, defaults)
    saved_specs = specs[:num_saved]
    filled = [defaults[index] for index in range(num_saved, len(specs))]
    if is_compressed(state):
        codec = SequenceCodec(saved_specs)
        slabs, places = compressed(state, codec.layout, size)
        arrays = [np.empty((1, *shape), dtype) for shape, dtype in saved_specs]
        for place in places:
            codec.decode(read_pages(slabs, *place), arrays)
            yield arrays + filled
        return
    components = [state[component(index)] for index in range(num_saved)]
    for index, (array, (shape, dtype)) in enumerate(zip(components, saved_specs)):
        check_array(f'state[{component(index)!r}]', array, (size, *shape), dtype)
    for slot in range(size):
        yield [array[slot : slot + 1] for array in components] + filled


def _slab_names(state: Mapping[str, np.ndarray]) -> List[str]:
    return [f'slab_{index}' for index in range(sum(name.startswith('slab_') for name in state))]
