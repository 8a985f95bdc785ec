import numpy as np
import pytest

from sc2impala import envs
from sc2impala.envs.pictures import colors, frames, layout


def make_panels(screen_layers, minimap_layers):
    observation_spec, _ = envs.make_specs(
        'MoveToBeacon',
        screen_size=(20, 10),
        minimap_size=(16, 16),
        screen_layers=screen_layers,
        minimap_layers=minimap_layers,
    )
    return frames.choose_panels(observation_spec)


def make_step(panels, arguments=None, reward=0.0, step_mul=8):
    return frames.Step(
        layers=[np.zeros(panel.size[::-1], np.uint8) for panel in panels],
        function='Move_screen',
        arguments=arguments or {},
        step_mul=step_mul,
        reward=reward,
        episode_return=0.0,
    )


def panel_pixels(frame, panels):
    """Returns the part of the picture that each panel covers."""
    plan = layout.make_layout([panel.size for panel in panels])
    return [
        frame[y : y + panel.size[1] * factor, x : x + panel.size[0] * factor]
        for panel, factor, (x, y) in zip(panels, plan.factors, plan.corners)
    ]


def caption_pixels(frame):
    return frame[-layout.CAPTION_HEIGHT :]


def names(panels):
    return [(panel.group, panel.layer.name) for panel in panels]


def test_all_layers_are_shown_screen_first():
    panels = make_panels(['unit_type', 'creep'], ['camera', 'creep'])
    assert names(panels) == [
        ('screen', 'unit_type'),
        ('screen', 'creep'),
        ('minimap', 'camera'),
        ('minimap', 'creep'),
    ]
    assert [panel.size for panel in panels] == [(20, 10), (20, 10), (16, 16), (16, 16)]


def test_of_many_layers_the_most_informative_ones_are_shown_in_order():
    panels = make_panels('all', 'all')
    assert len(panels) == frames.MAX_PANELS
    assert {('screen', 'player_relative'), ('screen', 'selected')} < set(names(panels))
    assert {('minimap', 'player_relative'), ('minimap', 'camera')} < set(names(panels))
    everything = [name for name in names(make_every_panel()) if name in names(panels)]
    assert names(panels) == everything


def make_every_panel():
    spec, _ = envs.make_specs('MoveToBeacon', screen_layers='all', minimap_layers='all')
    return [frames.Panel('screen', layer, None) for layer in spec.screen_layers] + [
        frames.Panel('minimap', layer, None) for layer in spec.minimap_layers
    ]


def test_layers_are_enlarged_in_their_panels():
    panels = make_panels(['player_relative', 'selected'], ['player_relative'])
    step = make_step(panels)
    step.layers[0][9, 19] = 4
    step.layers[1][0, 0] = 1
    step.layers[2][:] = 1
    (frame,) = frames.draw_frames(panels, [step], num_hidden=0)
    relative, selected, minimap = panel_pixels(frame, panels)
    assert relative.shape == (100, 200)
    assert minimap.shape == (208, 208)
    enemy, none = relative[-1, -1], relative[0, 0]
    assert (relative[-10:, -10:] == enemy).all()
    assert (relative == enemy).sum() == 100
    assert (relative == none).sum() == 200 * 100 - 100
    assert (selected == selected[0, 0]).sum() == 100
    assert (minimap == minimap[0, 0]).all() and minimap[0, 0] not in (enemy, none)


@pytest.mark.parametrize(
    'arguments, on_screen, on_minimap',
    [
        ({'queued': [0]}, False, False),
        ({'queued': [0], 'screen': [12, 4]}, True, False),
        ({'queued': [0], 'minimap': [12, 4]}, False, True),
    ],
)
def test_points_are_marked_on_the_layers_of_their_group(arguments, on_screen, on_minimap):
    panels = make_panels(['player_relative', 'selected'], ['player_relative'])
    (frame,) = frames.draw_frames(panels, [make_step(panels, arguments)], num_hidden=0)
    screen, other_screen, minimap = panel_pixels(frame, panels)
    for pixels in (screen, other_screen):
        assert (pixels == colors.MARKER).any() == on_screen
        assert (pixels[45, 125] == colors.MARKER) == on_screen
    assert (minimap == colors.MARKER).any() == on_minimap
    assert (minimap[4 * 13 + 6, 12 * 13 + 6] == colors.MARKER) == on_minimap


def test_a_rectangle_is_marked_between_its_two_points():
    panels = make_panels(['player_relative'], ['player_relative'])
    step = make_step(panels, {'screen': [12, 4], 'screen2': [3, 8]})
    (frame,) = frames.draw_frames(panels, [step], num_hidden=0)
    screen, minimap = panel_pixels(frame, panels)
    ys, xs = np.nonzero(screen == colors.MARKER)
    assert (xs.min(), ys.min(), xs.max(), ys.max()) == (30, 40, 129, 89)
    assert not (minimap == colors.MARKER).any()


def test_the_selected_unit_is_marked_as_well_as_the_target():
    panels = make_panels(['player_relative'], ['player_relative'])
    step = make_step(panels, {'select_point': [3, 8], 'queued': [0], 'screen': [12, 4]})
    (frame,) = frames.draw_frames(panels, [step], num_hidden=0)
    screen, minimap = panel_pixels(frame, panels)
    assert screen[45, 125] == colors.MARKER and screen[85, 35] == colors.MARKER
    assert not (minimap == colors.MARKER).any()


def test_the_caption_shows_the_reward_by_its_color():
    panels = make_panels(['player_relative'], [])
    steps = [make_step(panels, reward=reward) for reward in (0.0, 1.0, -1.0)]
    captions = [caption_pixels(frame) for frame in frames.draw_frames(panels, steps, 0)]
    backgrounds = [colors.PLAIN, colors.GAIN, colors.LOSS]
    assert [caption[0, 0] for caption in captions] == backgrounds
    for caption, background in zip(captions, backgrounds):
        assert caption.min() == background
        assert background < caption.max() < background + colors.TEXT_LEVELS


def test_the_caption_has_action_time_reward_and_return(monkeypatch):
    captions = []
    draw_text = frames.drawing.draw_text

    def record(lines, *args, **kwargs):
        captions.append(lines)
        return draw_text(lines, *args, **kwargs)

    monkeypatch.setattr(frames.drawing, 'draw_text', record)
    steps = [
        frames.Step([], 'Move_screen', {'queued': [1], 'screen': [12, 4]}, 5, 1.0, 3.0),
        frames.Step([], 'no_op', {}, 3, -0.5, 2.5),
    ]
    list(frames.draw_frames([], steps, num_hidden=26))
    first, second = (' / '.join(lines) for lines in captions)
    for text in ('Move_screen(queued=1, screen=[12, 4])', 'step 0 ', 'frame 0 ', 'step_mul 5'):
        assert text in first
    for text in ('reward 1 ', 'return 3', '26 more layers are not shown'):
        assert text in first
    for text in ('no_op()', 'step 1 ', 'frame 5 ', 'step_mul 3', 'reward -0.5', 'return 2.5'):
        assert text in second


def test_values_have_the_same_color_in_the_whole_episode():
    panels = make_panels(['unit_hit_points'], [])
    steps = [make_step(panels) for _ in range(3)]
    steps[0].layers[0][:, 10:] = 45
    steps[1].layers[0][:, 10:] = 45
    steps[1].layers[0][0, 0] = 90
    first, second, third = (
        panel_pixels(frame, panels)[0] for frame in frames.draw_frames(panels, steps, 0)
    )
    assert first[50, 150] == second[50, 150]
    assert third[50, 150] == third[50, 50] == first[50, 50] < first[50, 150] < second[0, 0]
