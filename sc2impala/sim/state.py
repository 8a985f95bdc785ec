"""The state of a game: one structured record; the modules of the rules declare its fields.

A batch is an array of K records, `games`; compiled functions take one record, `g = games[k]`, and
read and write its fields, as in `g.health[i]`. Truth values are uint8, because records cannot hold
bool. The slots of units are numbered: first those for M units that can move, then the others.
Arrays [M] belong to units that can move, arrays [U] to all units.
"""

from typing import Any, Dict, Iterable, Mapping, NamedTuple, Tuple, Union

import numpy as np

Shape = Tuple[Union[int, str], ...]


class Field(NamedTuple):
    """A field of the record of a game.

    name: its name; those of `derived` fields begin with an underscore.
    dtype: of an element.
    shape: ints, or names of sizes: 'M' units that can move, 'U' units, 'B' units that cannot, 'L'
      the lanes of `overlaps`, at least M.
    blank: value at the start of an episode, a number or an array of its shape.
    """

    name: str
    dtype: Any
    shape: Shape = ()
    blank: Any = 0

    @property
    def derived(self) -> bool:
        """Returns whether it is not saved: computed from other fields, or valid for one frame."""
        return self.name.startswith('_')


def blank_record(fields: Iterable[Field], sizes: Mapping[str, int]) -> np.ndarray:
    """Returns an array of one record with all fields at their values at the start of an episode.

    Args:
      fields: the fields; a name that occurs several times is an error.
      sizes: values of the names in shapes.

    Raises:
      ValueError: if two fields have the same name, or a name is an attribute of NumPy's records.
    """
    described: Dict[str, Field] = {}
    for field in fields:
        if field.name in described or hasattr(np.record, field.name):
            raise ValueError(f'The name {field.name!r} of a field is taken; expected another one.')
        described[field.name] = field
    layout = [
        (field.name, field.dtype, tuple(sizes[n] if isinstance(n, str) else n for n in field.shape))
        for field in described.values()
    ]
    record = np.zeros([1], np.dtype(layout, align=True)).view(np.recarray)
    for field in described.values():
        record[field.name] = field.blank
    return record
