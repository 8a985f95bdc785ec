import pytest

from sc2impala.envs.pictures import layout


def panel_boxes(plan, sizes):
    """Returns (left, top, right, bottom) of each panel with its title."""
    return [
        (x, y - layout.TITLE_HEIGHT, x + width * factor, y + height * factor)
        for (x, y), (width, height), factor in zip(plan.corners, sizes, plan.factors)
    ]


def test_panels_do_not_overlap_and_are_above_the_caption():
    for num_panels in range(1, 13):
        sizes = [(84, 64)] * (num_panels // 2) + [(32, 16)] * (num_panels - num_panels // 2)
        plan = layout.make_layout(sizes)
        boxes = panel_boxes(plan, sizes)
        assert len(boxes) == num_panels
        for i, (left, top, right, bottom) in enumerate(boxes):
            assert left >= 0 and top >= 0
            assert right <= plan.size[0] and bottom <= plan.caption_top
            assert left + plan.cell_width <= plan.size[0]
            for other_left, other_top, other_right, other_bottom in boxes[:i]:
                beside = right <= other_left or other_right <= left
                assert beside or bottom <= other_top or other_bottom <= top
        assert plan.size[1] == plan.caption_top + layout.CAPTION_HEIGHT


@pytest.mark.parametrize(
    'size, factor', [((16, 16), 13), ((64, 64), 3), ((84, 84), 2), ((20, 100), 2), ((512, 512), 1)]
)
def test_layers_are_enlarged_to_about_the_size_of_a_panel(size, factor):
    assert layout.make_layout([size]).factors == [factor]


@pytest.mark.parametrize('num_panels, rows', [(3, [3]), (4, [4]), (5, [3, 2]), (12, [4, 4, 4])])
def test_rows_have_nearly_equal_lengths(num_panels, rows):
    plan = layout.make_layout([(16, 16)] * num_panels)
    tops = [y for _, y in plan.corners]
    assert [tops.count(y) for y in sorted(set(tops))] == rows
    assert tops == sorted(tops)


def test_without_panels_there_is_room_for_the_caption():
    plan = layout.make_layout([])
    assert plan.corners == []
    assert plan.size[0] > 400
    assert plan.size[1] >= layout.CAPTION_HEIGHT
