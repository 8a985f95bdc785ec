"""What the state of a memory holds of its sequences: names, meaning, and what is checked.

Uncompressed, entry `component_<i>` is an array [sequences, ...]. Compressed, there are instead

* layout: text, how the sequences are compressed and of which components;
* lengths: int64 [sequences], the bytes of each;
* pages: int32 [pages], the numbers of the pages of one sequence after the other;
* slab_<i>: uint8 [pages, PAGE_BYTES], all pages of the memory, also those that no sequence has.
"""

from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import numpy as np

from sc2impala.replay.codec import SequenceCodec, Spec
from sc2impala.replay.pages import PAGE_BYTES, SLAB_PAGES, num_pages, read_pages

Place = Tuple[np.ndarray, int]
"""Where a compressed sequence lies: the numbers of its pages, int32 [pages], and its bytes."""


def check_array(name: str, array: Any, shape: Sequence[int], dtype: Any) -> None:
    """Raises: ValueError: if the array has another shape or dtype."""
    if array.shape != tuple(shape) or array.dtype != dtype:
        raise ValueError(
            f'`{name}` must be {np.dtype(dtype)} {list(shape)}, but is {array.dtype} '
            f'{list(array.shape)}.'
        )


def component(index: int) -> str:
    """The entry of a component of uncompressed sequences."""
    return f'component_{index}'


def is_compressed(state: Mapping[str, np.ndarray]) -> bool:
    """Whether a state holds its sequences compressed."""
    return 'layout' in state


def names(state: Mapping[str, np.ndarray], num_components: int) -> List[str]:
    """All entries of the sequences that this state must have."""
    if not is_compressed(state):
        return [component(index) for index in range(num_components)]
    return ['layout', 'lengths', 'pages'] + _slab_names(state)


def of_compressed(
    layout: Sequence[str], places: Sequence[Place], slabs: Sequence[np.ndarray]
) -> Dict[str, np.ndarray]:
    """The entries of compressed sequences; the slabs are not copied."""
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
    """The slabs of a state with compressed sequences, not copied, and where these lie.

    Raises:
      ValueError: they are not `size` sequences of this layout.
    """
    saved_layout = state['layout'].tolist()
    if saved_layout != list(layout):
        raise ValueError(f"`state['layout']` must be {list(layout)}, but is {saved_layout}.")
    slabs = [state[name] for name in _slab_names(state)]
    for index, slab in enumerate(slabs):
        rows = SLAB_PAGES if index < len(slabs) - 1 else len(slab)
        check_array(f"state['slab_{index}']", slab, [rows, PAGE_BYTES], np.uint8)
    lengths, numbers = state['lengths'], state['pages']
    check_array("state['lengths']", lengths, [size], np.int64)
    ends = np.cumsum([num_pages(length) for length in lengths.tolist()], dtype=np.int64)
    check_array("state['pages']", numbers, [int(ends[-1]) if size else 0], np.int32)
    num_saved = sum(map(len, slabs))
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < num_saved:
        raise ValueError(f"`state['pages']` must be numbers of the {num_saved} pages saved.")
    return slabs, list(zip(np.split(np.array(numbers), ends[:-1]), lengths.tolist()))


def sequences(
    state: Mapping[str, np.ndarray], specs: Sequence[Spec], size: int
) -> Iterator[List[np.ndarray]]:
    """Yields all sequences of a state, for each spec an array [1, ...], to be used at once.

    Raises:
      ValueError: they are not `size` sequences of these specs.
    """
    if is_compressed(state):
        codec = SequenceCodec(specs)
        slabs, places = compressed(state, codec.layout, size)
        arrays = [np.empty((1,) + tuple(shape), dtype) for shape, dtype in specs]
        for place in places:
            codec.decode(read_pages(slabs, *place), arrays)
            yield arrays
        return
    components = [state[component(index)] for index in range(len(specs))]
    for index, (array, (shape, dtype)) in enumerate(zip(components, specs)):
        check_array(f'state[{component(index)!r}]', array, (size,) + tuple(shape), dtype)
    for slot in range(size):
        yield [array[slot : slot + 1] for array in components]


def _slab_names(state):
    return [f'slab_{index}' for index in range(sum(name.startswith('slab_') for name in state))]
