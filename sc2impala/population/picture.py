"""The picture of a population: scores and settings of all members over frames, by lineage."""

import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sc2impala.population.ranges import Range
from sc2impala.runtime import figures

NAME = 'population.png'

Row = Mapping[str, Any]


def save(folder: str, history: Sequence[Row], drawn: Mapping[str, Range]) -> None:
    """Draws the score and each sampled setting, one above the other.

    Every dot is a member at the end of a generation; the line to it starts at the source of its
    weights: itself, or dashed another member. The ancestors of the best one are on the
    broad line.

    Args:
      folder: folder of the population.
      history: results of `report.row`; at least one.
      drawn: ranges by the name of the setting.

    Raises:
      UserError: if the picture cannot be written.
    """
    figure = Figure(figsize=(9, 2.5 * (1 + len(drawn))), dpi=100, layout='constrained')
    panels = figure.subplots(1 + len(drawn), 1, sharex=True, squeeze=False)[:, 0]
    _draw(panels[0], history, 'score', lambda row: row['score'])
    panels[0].set_ylabel('mean return')
    for axes, (name, of_setting) in zip(panels[1:], drawn.items()):
        _draw_setting(axes, history, name, of_setting)
    panels[-1].set_xlabel('environment frames (game loops)')
    panels[-1].xaxis.set_major_formatter(ticker.EngFormatter(sep=''))
    panels[0].legend(loc='lower left', bbox_to_anchor=(0, 1), frameon=False, ncol=4)
    path = os.path.join(folder, NAME)
    figures.save(figure, path, 'a --logdir')


def origins(history: Sequence[Row]) -> Dict[Tuple[int, int], Optional[Tuple[int, int]]]:
    """The source of the weights of every (generation, member); None at the start."""
    return {
        (row['generation'], row['member']): None
        if row['parent'] is None
        else (row['generation'] - 1, row['parent'])
        for row in history
    }


def ancestors(history: Sequence[Row]) -> List[Tuple[int, int]]:
    """(generation, member) from the start to the best score of the last generation."""
    last = max(row['generation'] for row in history)
    rows = [row for row in history if row['generation'] == last and row['score'] is not None]
    if not rows:
        return []
    best = max(rows, key=lambda row: row['score'])
    before, line = origins(history), []
    place: Optional[Tuple[int, int]] = (last, best['member'])
    while place is not None:
        line.append(place)
        place = before[place]
    return line[::-1]


def _draw_setting(axes: Axes, history: Sequence[Row], name: str, of_setting: Range) -> None:
    values = list(of_setting.values)

    def height(row: Row) -> float:
        value = row['settings'][name]
        if not values:
            return value
        # A reference may have another one.
        return values.index(value) if value in values else -1

    _draw(axes, history, name, height)
    axes.set_ylabel(name)
    if of_setting.log:
        axes.set_yscale('log')
    if values:
        axes.set_yticks(range(len(values)))
        axes.set_yticklabels([str(value) for value in values])


def _draw(axes: Axes, history: Sequence[Row], title: str, height: Callable[[Row], Any]) -> None:
    """Draws one panel."""
    places = {
        (row['generation'], row['member']): (row['frames'], height(row))
        for row in history
        if height(row) is not None
    }
    line = [places[place] for place in ancestors(history) if place in places]
    if line:
        axes.plot(*zip(*line), color='0.8', linewidth=6, solid_capstyle='round', zorder=0)
    for (generation, member), origin in origins(history).items():
        place = (generation, member)
        if place not in places:
            continue
        color = f'C{member % 10}'
        label = f'member {member}' if generation == 0 else None
        axes.plot(*places[place], '.', color=color, label=label)
        if origin in places:
            style = '-' if origin[1] == member else '--'
            axes.plot(*zip(places[origin], places[place]), style, color=color, linewidth=1)
    axes.grid(alpha=0.3)
    axes.spines['top'].set_visible(False)
    axes.spines['right'].set_visible(False)
