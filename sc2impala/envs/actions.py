"""Action spaces: a list of PySC2 functions, and the heads that encode a call of one of them.

An action is a dict of int32, one entry per head. The head 'function' indexes the chosen functions;
the other heads are the PySC2 argument types that these functions use, except those with a fixed
value. A head for a point (screen, minimap, screen2) indexes pixels as `y * width + x`. Each
function uses some of the argument heads; the values of the others have no effect. K is the number
of actions in a batch.

A function 'select_point+NAME' is two calls in one action: select_point at the pixel of the head
'screen2', and then NAME with its own arguments; 'select_army+NAME' and 'select_idle_worker+NAME'
are the same for the whole army and for a worker without an order. Units are thus selected and
ordered in one step, with one probability. The other arguments of a selection have the same heads as
in a selection alone, or are fixed.
"""

import numbers
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from sc2impala.envs import checks
from sc2impala.envs.pysc2_api import actions as pysc2_actions

FUNCTIONS = pysc2_actions.FUNCTIONS
NUM_FUNCTIONS = len(FUNCTIONS)
"""All functions of PySC2, 573; their ids are 0..572."""

SELECT_POINT, SELECT_ARMY, SELECT_IDLE_WORKER = SELECTIONS = (
    'select_point',
    'select_army',
    'select_idle_worker',
)
"""Functions that an order may follow in the same action."""

SELECTED = 'screen2'
"""The head with the pixel of `SELECT_POINT` before an order."""

_AND = '+'


class ActionSpec:
    """The action space over a list of functions; made by `make_action_spec`.

    functions: tuple of F PySC2 function ids, in the chosen order; of the order, if it follows a
      selection.
    function_names: tuple of their F names, 'select_point+NAME' of an order after a selection.
    selections: tuple of F names out of `SELECTIONS`, '' where no selection comes first.
    selects: bool [F], whether one does.
    num_functions: F.
    screen_size, minimap_size: (width, height) in pixels.
    heads: dict from head name to number of choices, 'function' first, then `argument_heads`.
    argument_heads: tuple of the A argument types with a head, in the order of PySC2's argument ids.
    fixed_arguments: dict from argument type to its value in every call; these have no head.
    head_used: bool [F, A], whether a function uses an argument head.
    no_op_as_last_resort: whether no_op is available only where no other function is.
    """

    def __init__(
        self,
        functions: Sequence[int],
        screen_size: Tuple[int, int],
        minimap_size: Tuple[int, int],
        fixed_arguments: Mapping[str, int],
        no_op_as_last_resort: bool = False,
        selections: Sequence[str] = (),
    ):
        self.functions = tuple(int(function_id) for function_id in functions)
        self.selections = tuple(selections) or ('',) * len(self.functions)
        self.selects = np.array([bool(first) for first in self.selections], np.bool_)
        both = list(zip(self.selections, self.functions))
        self.function_names = tuple(
            _AND.join(filter(None, (first, FUNCTIONS[id_].name))) for first, id_ in both
        )
        self.num_functions = len(self.functions)
        self.no_op_as_last_resort = no_op_as_last_resort
        self.screen_size = screen_size
        self.minimap_size = minimap_size

        used = [_argument_names(id_) + _selection_names(first) for first, id_ in both]
        sizes = _argument_sizes(screen_size, minimap_size)
        in_use = [name for name in sizes if any(name in names for names in used)]
        self.argument_heads = tuple(name for name in in_use if name not in fixed_arguments)
        self.fixed_arguments = {n: fixed_arguments[n] for n in in_use if n in fixed_arguments}
        self.head_used = np.array(
            [[head in names for head in self.argument_heads] for names in used], np.bool_
        )
        self.head_used.flags.writeable = False
        self._sizes = {name: sizes[name] for name in in_use}
        self.heads = {'function': self.num_functions}
        self.heads.update((head, int(np.prod(sizes[head]))) for head in self.argument_heads)

        self._num_choices = np.array(list(self.heads.values()), np.int32)[:, np.newaxis]
        self._function_ids = np.array(self.functions, np.int32)
        self._is_no_op = self._function_ids == FUNCTIONS.no_op.id
        self._index_of_id = np.full([NUM_FUNCTIONS], -1, np.int32)
        alone = np.flatnonzero(~self.selects)
        self._index_of_id[self._function_ids[alone]] = alone
        # A selection is possible before every order; the order may be so only after it.
        self._first_ids = np.array(
            [FUNCTIONS[first].id if first else FUNCTIONS.no_op.id for first in self.selections],
            np.int32,
        )
        self._needed_ids = np.where(self.selects, self._first_ids, self._function_ids)
        self._selection_names = tuple(
            dict.fromkeys(name for first in self.selections for name in _selection_names(first))
        )

    def available(self, mask: np.ndarray) -> np.ndarray:
        """Returns which of the chosen functions the agent may choose.

        Args:
          mask: bool [..., 573] over all PySC2 function ids.

        Returns:
          bool [..., F], a new array.

        Raises:
          ValueError: if the last dimension of `mask` is not 573.
        """
        mask = np.asarray(mask)
        if mask.shape[-1:] != (NUM_FUNCTIONS,):
            raise ValueError(f'mask has shape {mask.shape}, expected [..., {NUM_FUNCTIONS}].')
        available = mask.take(self._needed_ids, axis=-1)
        if self.no_op_as_last_resort:
            others = (available & ~self._is_no_op).any(axis=-1, keepdims=True)
            available &= ~(others & self._is_no_op)
        return available

    def has_target(self, head: str) -> np.ndarray:
        """Returns which of the functions are orders with a target in this head, bool [F]."""
        return np.array(
            [_is_order(id_) and head in _argument_names(id_) for id_ in self.functions], np.bool_
        )

    def decode(self, action: Mapping[str, np.ndarray]) -> Tuple[np.ndarray, Dict[str, np.ndarray]]:
        """Converts a batch of actions to function ids and arguments.

        Args:
          action: int [K] for every head.

        Returns:
          function_ids: int32 [K], PySC2's ids.
          arguments: for every argument head int32 [K], or [K, 2] as (x, y) pixels for a point.
            Arguments that a function does not use keep the value of their head. Fixed arguments
            are included.

        Raises:
          ValueError: if heads are missing or unknown, are not integers of one shape [K], or are
            out of range.
        """
        indices = self._stack(action)
        arguments = {}
        for head, index in zip(self.argument_heads, indices[1:]):
            size = self._sizes[head]
            if len(size) == 2:
                # Cheaper than np.stack; this runs in every step of an actor.
                index = np.array((index % size[0], index // size[0])).T
            arguments[head] = index
        for name, value in self.fixed_arguments.items():
            arguments[name] = np.full(indices.shape[1:], value, np.int32)
        return self._function_ids[indices[0]], arguments

    def decode_selections(
        self, action: Mapping[str, np.ndarray]
    ) -> Optional[Tuple[np.ndarray, Dict[str, np.ndarray]]]:
        """Returns the calls that come before those of `decode`; None if there are none.

        Args:
          action: int [K] for every head, as in `decode`.

        Returns:
          function_ids: int32 [K], of a selection, or no_op where there is none.
          arguments: by the names of PySC2's arguments int32 [K], or [K, 2] as (x, y) pixels for
            the point. Arguments that a selection does not use have any value.
        """
        function = np.asarray(action['function'])
        if not self.selects[function].any():
            return None
        arguments = {}
        for name in self._selection_names:
            if name == SELECTED:
                pixel, width = np.asarray(action[name]), self.screen_size[0]
                arguments['screen'] = np.array((pixel % width, pixel // width), np.int32).T
            elif name in self.fixed_arguments:
                arguments[name] = np.full(function.shape, self.fixed_arguments[name], np.int32)
            else:
                arguments[name] = np.asarray(action[name], np.int32)
        return self._first_ids[function], arguments

    def encode(
        self,
        function_ids: np.ndarray,
        arguments: Mapping[str, np.ndarray],
        selections: Optional[Tuple[np.ndarray, Mapping[str, np.ndarray]]] = None,
    ) -> Dict[str, np.ndarray]:
        """Converts function ids and arguments to a batch of actions; the inverse of `decode`.

        Args:
          function_ids: int [K], PySC2's ids.
          arguments: int [K] per argument type, or [K, 2] as (x, y) pixels for a point. Absent
            types count as 0.
          selections: the calls before them, as `decode_selections` returns them; None for none.

        Returns:
          int32 [K] for every head, 0 where the function does not use the head.

        Raises:
          ValueError: if a function is not one of the chosen ones, or an argument that is used has
            a wrong shape or is out of range.
        """
        function_ids = np.asarray(function_ids)
        function = self._index_of_id.take(function_ids, mode='clip')
        known = (self._function_ids[function] == function_ids) & ~self.selects[function]
        if selections is not None:
            first_ids, of_first = selections
            is_pair = first_ids != FUNCTIONS.no_op.id
            arguments = dict(arguments)
            for name in self._selection_names:
                both = of_first.get(_name_in_call(name), 0), arguments.get(name, 0)
                mask = is_pair[:, np.newaxis] if name == SELECTED else is_pair
                arguments[name] = np.where(mask, *both)
            same = self._first_ids == first_ids[:, np.newaxis]
            same &= self._function_ids == function_ids[:, np.newaxis]
            function = np.where(is_pair, same.argmax(axis=1), function).astype(np.int32)
            known = np.where(is_pair, same.any(axis=1), known)
        if not known.all():
            unknown = function_ids[~known][0]
            raise ValueError(
                f'function_ids has {unknown}, expected ids out of {_shortened(self.functions)}.'
            )
        action = {'function': function}
        for head, used in zip(self.argument_heads, self.head_used[function].T):
            action[head] = self._encode_argument(head, arguments.get(head, 0), used)
        return action

    def to_function_call(self, action: Mapping[str, int]) -> Tuple[int, List[List[int]]]:
        """Converts one action to the two fields of PySC2's `FunctionCall`.

        Of a selection and an order it returns the order, see `decode_selections`.

        Args:
          action: a scalar int for every head.

        Returns:
          The function's id, and one list of ints per argument in PySC2's order, [x, y] for points.

        Raises:
          ValueError: see `decode`.
        """
        batch = {head: np.asarray(index)[np.newaxis] for head, index in action.items()}
        function_ids, arguments = self.decode(batch)
        function_id = int(function_ids[0])
        return function_id, [
            np.atleast_1d(arguments[name][0]).tolist() for name in _argument_names(function_id)
        ]

    def described(self, action: Mapping[str, int]) -> Tuple[str, Dict[str, List[int]]]:
        """Returns the name of an action and its arguments by name, for people.

        Args:
          action: a scalar int for every head.

        Returns:
          The name, one of `function_names`; and lists of ints by the names of PySC2's arguments,
          [x, y] for points, with 'select_point' for the point of a selection before an order, and
          its other arguments if they have heads.

        Raises:
          ValueError: see `decode`.
        """
        function_id, values = self.to_function_call(action)
        arguments = dict(zip(_argument_names(function_id), values))
        index = int(action['function'])
        of_first = {}
        for head in _selection_names(self.selections[index]):
            if head == SELECTED:
                pixel, width = int(action[head]), self.screen_size[0]
                of_first[SELECT_POINT] = [pixel % width, pixel // width]
            elif head in self.heads:
                of_first[head] = [int(action[head])]
        return self.function_names[index], {**of_first, **arguments}

    def from_function_call(
        self, function_id: int, arguments: Sequence[Sequence[int]]
    ) -> Dict[str, np.int32]:
        """Converts the two fields of PySC2's `FunctionCall` to one action.

        Args:
          function_id: PySC2's id of one of the chosen functions.
          arguments: one list of ints per argument in PySC2's order, [x, y] for points.

        Returns:
          A scalar int32 for every head, 0 for those that the function does not use.

        Raises:
          ValueError: if the function is not one of the chosen ones, or has other arguments.
        """
        if function_id not in self._function_ids[~self.selects]:
            raise ValueError(
                f'function_id is {function_id!r}, expected one of {_shortened(self.functions)}.'
            )
        names = _argument_names(function_id)
        lengths = [len(self._sizes[name]) for name in names]
        if [np.size(argument) for argument in arguments] != lengths:
            raise ValueError(
                'arguments is {!r}, expected lists of the lengths {} for {}({}).'.format(
                    arguments, lengths, FUNCTIONS[function_id].name, ', '.join(names)
                )
            )
        batch = {
            name: np.reshape(argument, (1, 2) if length == 2 else (1,))
            for name, argument, length in zip(names, arguments, lengths)
        }
        for name, value in self.fixed_arguments.items():
            if name in batch and batch[name][0] != value:
                raise ValueError(
                    f'arguments has {batch[name][0]} for {name}, expected {value}, the value it '
                    'is fixed to.'
                )
        action = self.encode(np.array([function_id]), batch)
        return {head: index[0] for head, index in action.items()}

    def _stack(self, action: Mapping[str, np.ndarray]) -> np.ndarray:
        """Checks a batch of actions and stacks it: dict of [K] -> int32 [heads, K]."""
        if action.keys() != self.heads.keys():
            raise ValueError(
                f'action has the heads {sorted(action)}, expected {sorted(self.heads)}.'
            )
        heads = [np.asarray(action[head]) for head in self.heads]
        shapes = {head.shape for head in heads}
        if len(shapes) > 1 or heads[0].ndim != 1:
            raise ValueError(
                'action has heads of shape {}, expected one shape [K] for all.'.format(
                    ' and '.join(sorted(str(shape) for shape in shapes))
                )
            )
        indices = np.array(heads)
        if indices.dtype.kind not in 'iu':
            raise ValueError(f'action is of {indices.dtype}, expected integers.')
        self._check_range(indices)
        return indices.astype(np.int32, copy=False)

    def _check_range(self, indices: np.ndarray) -> None:
        outside = (indices < 0) | (indices >= self._num_choices)
        if outside.any():
            row, column = np.argwhere(outside)[0]
            head = list(self.heads)[row]
            raise ValueError(
                f'action[{head!r}] has {indices[row, column]}, expected 0..{self.heads[head] - 1}.'
            )

    def _encode_argument(
        self, head: str, value: Union[int, np.ndarray], used: np.ndarray
    ) -> np.ndarray:
        """Returns the choices of a head, int32 [K], for its argument, int [K] or [K, 2].

        They are 0 where `used`, bool [K], is false.
        """
        size = self._sizes[head]
        shape = used.shape + (2,) * (len(size) == 2)
        if np.ndim(value) and np.shape(value) != shape:
            raise ValueError(f'arguments[{head!r}] has shape {np.shape(value)}, expected {shape}.')
        coordinates = np.broadcast_to(value, shape).reshape(-1, len(size)) * used[:, np.newaxis]
        outside = (coordinates < 0) | (coordinates >= size)
        if outside.any():
            value = coordinates[outside.any(axis=1)][0].tolist()
            raise ValueError(
                f'arguments[{head!r}] has {value}, expected 0 or more and less than {list(size)}.'
            )
        strides = (1, size[0])[: len(size)]
        return coordinates.astype(np.int32).dot(np.array(strides, np.int32))


def make_action_spec(
    functions: Union[str, Iterable[Union[str, int]]],
    screen_size: Tuple[int, int],
    minimap_size: Tuple[int, int],
    fixed_arguments: Optional[Mapping[str, int]] = None,
    no_op_as_last_resort: bool = False,
) -> ActionSpec:
    """Makes the action space over the functions that an agent may call.

    Args:
      functions: names or ids of PySC2 functions, whose order is kept, and selections before an
        order to the selected units, such as 'select_point+Move_screen'; or 'all' 573.
      screen_size: (width, height) in pixels, for the heads 'screen' and 'screen2'.
      minimap_size: (width, height) in pixels, for the head 'minimap'.
      fixed_arguments: values of argument types that the agent does not choose, such as
        {'queued': 0} to never queue an order. Types that none of the functions uses are ignored;
        points cannot be fixed.
      no_op_as_last_resort: make no_op available only where no other function is. An agent that
        chooses its step multiplier can wait by a longer step.

    Raises:
      ValueError: if a function is unknown or repeated (the nearest names are suggested), if none
        is always available, if a size is not two positive integers, or if an argument cannot be
        fixed to its value.
    """
    chosen = functions if isinstance(functions, str) else [_function_name(f) for f in functions]
    known = [f.name for f in FUNCTIONS]
    if not isinstance(chosen, str):
        known += _PAIRS
    names = checks.check_names('functions', chosen, known)
    always = [f.name for f in FUNCTIONS if f.avail_fn is pysc2_actions.always]
    if not {name.split(_AND)[0] for name in names} & set(always):
        raise ValueError(
            'functions is {}, expected at least one that is always available: {}.'.format(
                list(names), ', '.join(always)
            )
        )
    return ActionSpec(
        [FUNCTIONS[order_of(name)].id for name in names],
        checks.check_size('screen_size', screen_size),
        checks.check_size('minimap_size', minimap_size),
        _check_fixed(fixed_arguments or {}),
        no_op_as_last_resort,
        [name.rpartition(_AND)[0] for name in names],
    )


def order_of(name: str) -> str:
    """Returns the PySC2 function of an action: its order, if a selection comes first."""
    return name.rpartition(_AND)[-1]


def in_pairs(functions: Sequence[str]) -> Optional[Tuple[str, ...]]:
    """Returns the names of the actions of a player that selects and orders in one of them.

    Args:
      functions: names of the PySC2 functions that it calls.

    Returns:
      Each order after each selection, and the functions that need none; None if the player gives
      orders without a target, or selects in other ways than by a point or the army.
    """
    selections = [name for name in functions if name in (SELECT_POINT, SELECT_ARMY)]
    orders = [name for name in functions if _is_order(FUNCTIONS[name].id) and _has_target(name)]
    alone = [name for name in functions if name not in (*selections, *orders)]
    if not selections or not set(alone) <= {'no_op', 'move_camera'}:
        return None
    return (*alone, *[first + _AND + order for first in selections for order in orders])


def _check_fixed(fixed_arguments: Mapping[str, int]) -> Dict[str, int]:
    sizes = {t.name: t.sizes[0] for t in pysc2_actions.TYPES if len(t.sizes) == 1}
    for name, value in fixed_arguments.items():
        checks.check_name('fixed_arguments', name, sizes)
        if not 0 <= value < sizes[name]:
            raise ValueError(
                f'fixed_arguments has {value} for {name}, expected 0..{sizes[name] - 1}.'
            )
    return dict(fixed_arguments)


def _function_name(function: Any) -> str:
    """Returns the name for an id; anything else is left to `check_names`."""
    if not isinstance(function, numbers.Integral):
        return function
    if not 0 <= int(function) < NUM_FUNCTIONS:
        raise ValueError(f'functions has {function}, expected ids in 0..{NUM_FUNCTIONS - 1}.')
    return FUNCTIONS[int(function)].name


def _argument_names(function_id: int) -> List[str]:
    return [argument.name for argument in FUNCTIONS[function_id].args]


def _selection_names(first: str) -> List[str]:
    """Returns the heads of the arguments of a selection before an order; '' has none."""
    names = _argument_names(FUNCTIONS[first].id) if first else []
    return [SELECTED if name == 'screen' else name for name in names]


def _name_in_call(head: str) -> str:
    return 'screen' if head == SELECTED else head


def _is_order(function_id: int) -> bool:
    """Returns whether a function is an order to the selected units."""
    return bool(FUNCTIONS[function_id].ability_id)


def _has_target(name: str) -> bool:
    return not {'screen', 'minimap'}.isdisjoint(_argument_names(FUNCTIONS[name].id))


_PAIRS = [
    f'{first}{_AND}{FUNCTIONS[id_].name}'
    for first in SELECTIONS
    for id_ in filter(_is_order, range(NUM_FUNCTIONS))
]
"""Names of a selection and an order in one action."""


def _argument_sizes(
    screen_size: Tuple[int, int], minimap_size: Tuple[int, int]
) -> Dict[str, Tuple[int, ...]]:
    """Returns the sizes of all argument types in the order of their ids.

    In PySC2's table the sizes of points are (0, 0).
    """
    sizes = {argument.name: argument.sizes for argument in pysc2_actions.TYPES}
    sizes.update(screen=screen_size, minimap=minimap_size, screen2=screen_size)
    return sizes


def _shortened(ids: Sequence[int]) -> str:
    text = ', '.join(str(id_) for id_ in ids[:20])
    return text + ', ...' if len(ids) > 20 else text
