"""Cards of the zoo: where an agent comes from, and its scores."""

import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from sc2impala.checkpoints import zoo_names
from sc2impala.errors import UserError

MARKS = '<!-- cards -->', '<!-- end of cards -->'
"""Around the text of a document that is made from the cards."""

AND_THEN = ' && '
"""Between the commands of several runs."""


class Score(NamedTuple):
    """An evaluation of the agent of the zoo, as it is in the package.

    step_mul: frames of every agent step; None if the agent chooses them.
    max_step_mul: the maximum of chosen steps; None for that of the training.
    temperature: of the sampled actions.
    mean, standard_error: of the return of an episode.
    episodes: their number.
    seed: of the games and the actions.
    map_name: of an agent of several maps; otherwise None.
    """

    step_mul: Optional[int]
    max_step_mul: Optional[int]
    temperature: float
    mean: float
    standard_error: float
    episodes: int
    seed: int
    map_name: Optional[str] = None

    def steps(self) -> str:
        """The step multiplier in words, after the map if there are several."""
        where = f'{self.map_name}: ' if self.map_name else ''
        if self.step_mul is not None:
            return f'{where}{self.step_mul} frames'
        return where + (f'chosen, at most {self.max_step_mul}' if self.max_step_mul else 'chosen')


class Card(NamedTuple):
    """The card of an agent.

    name: without `zoo:`.
    map_name, agent, algorithm: settings of its run; several maps are separated by commas.
    origin: 'imitation' of a script and what follows it, or 'scratch'.
    command: of the training; of each run if it began with an earlier one, see `AND_THEN`.
    commit: of the last run; None if it was not trained in a clone.
    version: of the package.
    date: of the training.
    seed: of its run.
    selection: how it was chosen among runs and checkpoints, in a few words.
    frames: environment frames of all phases and runs, up to this checkpoint.
    hours: duration of all of them.
    processor: of the training.
    num_weights: numbers in its weights.
    scores: the first one, or the first one of each map, is that of its default settings.
    """

    name: str
    map_name: str
    agent: str
    algorithm: str
    origin: str
    command: str
    commit: Optional[str]
    version: str
    date: str
    seed: int
    selection: str
    frames: int
    hours: float
    processor: str
    num_weights: int
    scores: Sequence[Score]


def read(name: str) -> Card:
    """Reads the card of an agent.

    Args:
      name: without `zoo:`.

    Raises:
      UserError: if there is no such agent, or its card is damaged.
    """
    path = os.path.join(zoo_names.folder(zoo_names.PREFIX + name), zoo_names.CARD)
    try:
        with open(path, encoding='utf-8') as file:
            content = json.load(file)
        scores = [Score(**score) for score in content.pop('scores')]
        return Card(name=name, scores=scores, **content)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(
            f'{path} cannot be read ({error}), expected the card of an agent: install the package '
            'again.'
        ) from error


def to_json(card: Card) -> Dict[str, Any]:
    """The content of the file of a card."""
    content = dict(card._asdict(), scores=[dict(score._asdict()) for score in card.scores])
    content.pop('name')
    return content


def table(cards: Sequence[Card]) -> str:
    """A table with one line per score, for terminals."""
    rows: List[Tuple[str, ...]] = [
        ('agent', 'network', 'frames', 'training', 'steps', 'score', 'episodes')
    ]
    for card in cards:
        for index, score in enumerate(card.scores):
            about = (
                zoo_names.PREFIX + card.name,
                card.agent,
                f'{card.frames / 1e6:.1f} M',
                f'{card.hours:.1f} h',
            )
            rows.append(
                (
                    *(about if index == 0 else ('',) * len(about)),
                    score.steps(),
                    f'{score.mean:.1f} +- {score.standard_error:.1f}',
                    str(score.episodes),
                )
            )
    return _aligned(rows)


def markdown(cards: Sequence[Card]) -> str:
    """A table of scores, and the commands of the training, as Markdown."""
    columns = ('agent', 'steps', 'score', 'episodes', 'network', 'frames', 'hours', 'seed')
    lines = [
        '| ' + ' | '.join(columns) + ' |',
        '| --- | --- | ---: | ---: | --- | ---: | ---: | --- |',
    ]
    for card in cards:
        for index, score in enumerate(card.scores):
            cells = [
                f'`{zoo_names.PREFIX}{card.name}`',
                score.steps(),
                f'{score.mean:.1f} ± {score.standard_error:.1f}',
                str(score.episodes),
                f'`{card.agent}`',
                f'{card.frames / 1e6:.1f} M',
                f'{card.hours:.1f}',
                f'{card.seed}, {card.selection}',
            ]
            if index > 0:
                cells = ['', *cells[1:4], '', '', '', '']
            lines.append('| ' + ' | '.join(cells) + ' |')
    lines += ['', '```bash']
    for card in cards:
        lines.append(f'# {zoo_names.PREFIX}{card.name}, {card.date}, {card.processor}')
        lines += card.command.split(AND_THEN)
    return '\n'.join([*lines, '```'])


def replace_between_marks(text: str, content: str) -> str:
    """Returns a document with what is between its marks replaced, see `MARKS`.

    Raises:
      ValueError: if the document does not have both marks once, in their order.
    """
    first, last = MARKS
    before, mark, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not (mark and end) or text.count(first) != 1 or text.count(last) != 1:
        raise ValueError(f'expected one {first} and one {last} after it')
    return f'{before}{first}\n{content}\n{last}{after}'


def describe(card: Card) -> str:
    """The whole card in lines, for terminals."""
    lines = [f'{name:12} {value}' for name, value in card._asdict().items() if name != 'scores']
    return '\n'.join([*lines, '', table([card])])


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines: List[str] = []
    for row in rows:
        lines.append('  '.join(f'{cell:{width}}' for cell, width in zip(row, widths)).rstrip())
    return '\n'.join(lines)
