"""Which boxes of files, row groups and rows may meet a box."""

import numpy as np

from server.gis.lake.ranges import meeting

FIJI = (177.0, -20.0, -178.0, -16.0)
UNKNOWN = (np.nan,) * 4


def test_boxes_meet_where_they_share_a_point() -> None:
    boxes = np.array([(0, 0, 1, 1), (2, 2, 3, 3), (1, 0, 4, 1), UNKNOWN])
    assert list(meeting(boxes, (0.5, 0.5, 1, 1))) == [0, 2, 3]


def test_a_box_across_the_antimeridian_may_be_at_any_longitude_of_its_latitudes() -> None:
    assert list(meeting(np.array([FIJI]), (0, -18, 1, -17))) == [0]
    assert list(meeting(np.array([FIJI]), (0, 40, 1, 41))) == []
    assert list(meeting(np.array([(0, -18, 1, -17), (0, 40, 1, 41)]), FIJI)) == [0]


def test_points_are_boxes_of_no_size() -> None:
    assert list(meeting(np.array([(1.0, 1.0), (5.0, 5.0)]), (0, 0, 2, 2))) == [0]
    assert list(meeting(np.empty((0, 4)), (0, 0, 2, 2))) == []
