"""Notes on the method of a step: reference system, unit and error, as templates."""

from agents.worded import Template

GEODESIC = Template(
    "method_geodesic", "Measured on the WGS 84 spheroid (geodesic), in metres; no projection error."
)
PLANAR = Template(
    "method_planar",
    "Overlaid in the plane of EPSG:{srid}; edges are straight in those coordinates, not geodesic.",
)
PLANAR_DEGREES = Template(
    "method_planar_degrees",
    "Overlaid in the plane of EPSG:{srid} (degrees); edges are straight in those coordinates, not geodesic.",
)
HULL = Template(
    "method_hull", "Hull in the plane of EPSG:{srid}; its sides are straight there, not geodesic."
)
HULL_ACROSS = Template(
    "method_hull_across",
    "What lies on both sides of the antimeridian is enclosed across it, and the hull is cut there.",
)
BUFFER = Template(
    "method_buffer",
    "Buffered piece by piece (at most {width} degrees wide) in the piece's UTM zone, beyond {latitude} degrees of "
    "latitude in an azimuthal equidistant projection around it; errors up to {error} %. Circles have {corners} "
    "corners, so their radius is up to {short} % short between corners.",
)
SIMPLIFIED_DEGREES = Template(
    "method_simplified_degrees",
    "Simplified in longitude and latitude, because the data span more than a local projection can hold, or the "
    "antimeridian; the tolerance is counted as at the equator, so no border moves farther, and towards the poles "
    "more detail is kept.",
)
SIMPLIFIED_COVERAGE = Template(
    "method_simplified_coverage",
    "Shared borders were simplified once for both sides (Douglas and Peucker between the points where borders meet): "
    "neighbours stay neighbours, without gaps or overlaps. Geometry collections and points are left as they are.",
)
SIMPLIFIED_LINES = Template(
    "method_simplified_lines",
    "Each line was simplified by itself (Douglas and Peucker); its ends stay, so lines that meet there do.",
)
COUNTED = Template(
    "method_counted",
    "Lines and areas are counted whole in the cell of their centre of gravity, points where they are.",
)
UTM = Template(
    "method_utm",
    "Computed in UTM zone {zone} (EPSG:{srid}); lengths err by at most about {error} % where the data are, areas by "
    "{areas} %.",
)
OWN_ZONES = Template(
    "method_own_zones",
    "Each line was computed in the UTM zone of its middle, because the data span several zones; lengths err by at most "
    "about {error} %.",
)
WIDER_LINES = Template(
    "method_wider_lines", "For {n} lines that reach farther than their zone, the following holds instead."
)
WORLD = Template(
    "method_world",
    "Computed in the world's cylindrical equal-area projection (EPSG:6933), because the data span more than one local "
    "projection can hold; areas are exact, but shapes are stretched away from 30 degrees of latitude.",
)
EQUAL_AREA = Template(
    "method_equal_area",
    "Computed in a local Lambert azimuthal equal-area projection centred at {latitude}, {longitude}; lengths err by "
    "at most about {error} % at the edge of the data.",
)
EQUIDISTANT = Template(
    "method_equidistant",
    "Computed in a local azimuthal equidistant projection centred at {latitude}, {longitude}; lengths err by at most "
    "about {error} % at the edge of the data.",
)
CENTRE = Template(
    "method_centre",
    "Centre of gravity in an equal-area projection around each feature; of features across a continent it may lie "
    "some kilometres beside that on the globe.",
)
CENTRE_PLANAR = Template(
    "method_centre_planar",
    "Centre of gravity in the plane of EPSG:{srid}; in an equal-area projection around each feature of what is larger "
    "than 10 km.",
)
EDGE_CELLS = Template(
    "method_edge_cells", "{n} of {total} cells end at the edge of the diagram, a box around all points."
)
