"""The fixed phrases of the rules for styles. Data only; `|` separates phrases, and the longest match is taken."""

from __future__ import annotations

from agents.offline.language.words import Phrases

COLOURED = Phrases("""
    coloured | colored | shaded | painted | styled | filled | tinted | classified | drawn | marked | symbolised |
    symbolized | categorised | categorized
""")
_COLOUR = "(colour|color|colours|colors)"
COLOUR_FOR_EACH = Phrases(f"""
    (a|one|another|different) [different|separate|distinct] {_COLOUR} (for each|for every|to each|to every|per)
    | (coloured|colored|shaded|colour|color) differently (by|for each|for every|per)
""")
EACH = Phrases("[so that|with|give|giving|colour|color|paint|shade|show|draw] (each|every)")
OWN_COLOUR = Phrases(f"""
    (its|their) own {_COLOUR} | [a] {_COLOUR} of its own | [a|one|another] [different|separate|distinct] {_COLOUR}
    | [coloured|colored|shaded|painted|drawn] differently
""")
_SCALED = "(graduated|scaled|proportional)"
SCALED = Phrases(f"[as|with|in] {_SCALED} (circles|symbols|bubbles|dots|points)")
SCALED_OF = Phrases(f"[show|draw|make|add] {_SCALED} (circles|symbols|bubbles|dots|points) (of|for)")
_APART = f"[two|three|four] (different|separate|distinct|their own) {_COLOUR}"
DIFFERENT_COLOURS = Phrases(_APART)
APART = Phrases(f"""
    [each] (in|with) {_APART} | [colour|color|paint|shade] each [one|of them] differently
    | [colour|color|paint|shade] each [one|of them] (in a different|in its own) {_COLOUR}
""")
CIRCLES = Phrases("""
    as circles | as [normal|plain|simple|ordinary|single] (bubbles|dots|points|markers)
    | (with|using) (circles|bubbles)
""")
_SIZE = "(size|sizes|width|widths|thickness|radius)"
SIZED = Phrases(f"""
    [dots|circles|points|symbols|markers|bubbles] (sized|scaled) [according] (by|to|after|with)
    | [scale|set|with] [the|their]
    [circle|dot|point|line|symbol|bubble|marker]
    {_SIZE} (by|according to|based on|showing|proportional to|depending on|following|from|shows|for)
    | proportional to | by size of | (circles|dots|bubbles|symbols) whose size (is|shows|represents)
    | (bigger|larger|thicker|wider) [circles|dots|lines] (by|according to|based on|depending on)
""")
_THINGS = "[circles|dots|points|lines|symbols|markers|bubbles|ones]"
SIZED_MORE = Phrases(
    f"(bigger|larger|thicker|wider) {_THINGS}"
    " ((the|for) (more|higher|larger)|[where there (is|are)|with] more|for (greater|bigger)|where (the|their|its))"
)
THE_BIGGER = Phrases(
    "[,] the (bigger|larger|thicker|wider) [the|their] [circle|circles|dot|dots|point|points|line|lines]"
)
SIZED_MOST = Phrases(f"(biggest|largest|thickest|widest) {_THINGS} (for|where) [the]")
THEY_HAVE = Phrases("""
    they (carry|have|hold|get|see|serve|produce|cover) | (live|lives) (there|in them) | there (is|are)
    | it (has|carries)
    | (is|are) (bigger|larger|higher|greater|more)
""")
OPACITY = Phrases("opacity | opaque | alpha | visible")
TRANSPARENCY = Phrases(
    "transparency | transparent | see-through | translucent | semi-transparent | half-transparent"
)
UNOUTLINED = Phrases("(no|without) [any|an] (outline|outlines|border|borders|edges)")
UNFILLED = Phrases("""
    no (fill|filling) | without [a|any] (fill|filling) | not filled | unfilled | hollow
    | [as] (outlines|outline|borders) only | only (the|their|as|an|its) (outline|outlines|border|borders)
""")
THAN_USUAL = Phrases("than (normal|usual|before|now)")
BIG, SMALL = (
    Phrases("big | large | bigger | larger | thick | bold | wide"),
    Phrases("small | tiny | smaller | thin | fine"),
)
SYMBOLS = Phrases("circle[s] | dot[s] | point[s] | bubbles | marker[s] | symbol[s] | line[s]")
OTHER_SYMBOLS = Phrases(
    "triangle | triangles | square | squares | diamond | diamonds | star | stars | cross | crosses | icons | pins"
)
"""Symbols that are drawn as circles instead; the answer says so."""
HEAT = Phrases("(as [a]|into [a]|a) (heat map|heatmap|density map) | as (density|heat|heatmaps)")
HEXBINS = Phrases("""
    (as|into) (hexbins|hexbin|hexagons|hexagonal bins) | (as|into) a (hexbin|hexagon) [map] | in (hexbins|hexagons) | by
    hexagon | binned (in|into) hexagons
""")
SQUARES = Phrases("""
    as [a] grid [map|cells] | as square bins | as squares | in grid cells | binned into squares | binned
    (in|into) a grid
""")
CLUSTERS = Phrases("(as|into) (clusters|cluster|a cluster map|numbered circles) | clustered | in clusters")
WITH_STATISTIC = Phrases("by | with | of | showing | coloured by | colored by")
OUTLINED = Phrases("outlined (in|with)")
OUTLINES = Phrases("outline | outlines | border | borders | edge | edges | stroke | strokes | outer line")
FILLS = Phrases("fill | fills | filling | fill colour | fill color | interior")
DARKER = Phrases("[the] (darker|darkest) | dark")
IS_MORE = Phrases("=|is|are|means|mean|for|where|the")
RAMP_NOUNS = Phrases(
    "(colour|color) (ramp|scale|scheme) | palette | ramp | scale | scheme | (colours|colors)"
)
CLASS_NOUNS = Phrases("""
    classes | class | groups | categories | bins | steps | colours | colors | levels | breaks | intervals | buckets
    | sizes
""")
NAME_WORDS = Phrases("[their|the] names | [its|the] name | a label | labels")
IN_COLOUR = Phrases("(in|with) [the] (colour|color) | in | as | to | using | with")
COLOURED_THINGS = Phrases(
    "colour | color | circles | dots | points | lines | areas | polygons | shapes | markers"
)
BY = Phrases("by [the value of|the|their|its] | according to | based on | after | for each | per")
LABELLED = Phrases("labelled | labeled | annotated | captioned | with (label|labels) | with a label")
AS_LABELS = Phrases(
    "[as] [a|the] (label|labels) | as (caption|captions|text)"
    " | [(written|shown|printed)] (on|beside|next to) (them|it|the map)"
)
BESIDE_THEM = Phrases("(beside|next to|on|onto|at) (it|them|these|those|each|each one)")
UNLABELLED = Phrases("without (labels|names|a label) | with no labels | unlabelled")
