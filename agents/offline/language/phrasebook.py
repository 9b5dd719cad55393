"""The fixed phrases of the language, grouped by the rules that use them. Data only.

`|` separates phrases; the longest match is taken.
"""

from __future__ import annotations

from agents.offline.language.lexicon import SUPERLATIVES
from agents.offline.language.words import Phrases, word_set

# --- mentions --------------------------------------------------------------------------------------------

PARTS_OF = Phrases("(all|pieces|items) of | of the")
PRONOUN_PHRASES = Phrases("""
    (this|that|the|current) layer | (these|those|the) features | the
    (circles|points|dots|lines|symbols|bubbles|areas) | [the] last layer | both [of them]
    | the (resulting|new|dissolved|merged) (areas|shapes|polygons|regions|lines|points|features|layer)
    | all three of them
""")
TOP_LAYER = Phrases("[the] (top|topmost|uppermost) layer | [the] layer [that is] (on [the] top|at the top)")
BOTTOM_LAYER = Phrases("[the] (bottom|lowest|undermost) layer | [the] layer [that is] at the bottom")
EVERYTHING = Phrases("everything | [all] [the] layers | (every|each) layer | all of (them|it) | them all")
ROWS_OF = Phrases("[the] layer of [the] | [the] (rows|records|entries) (of|in|from) [the]")
KINDS_OF_THING = Phrases("""
    layer | layers | table | tables | features | dataset | row | rows | dots | circles | bubbles | markers | symbols
""")

# --- conditions ------------------------------------------------------------------------------------------

IN_VIEW = Phrases("""
    in (the|my) [current|present] view | in view | within the view | in sight | on [the] screen | [in what] i
    see | i can see | visible
""")
IN_AREA = Phrases(
    "(in|inside|within) (this|the) area | in (that area|the (drawn area|box|shape|polygon)|this (region|part|polygon))"
)
IN_BOX = Phrases("(in|inside|within) [the|a] [bounding] (box|bbox|rectangle|extent) [from|of|:]")
SELECTED = Phrases("[that are|i|i have] selected | in (the|my) selection")
LINKS = Phrases("""
    (that|which|who) are | that's | thats
    | (that|which|who) (have|has) been [measuring|recording|operating|open|running]
    | (that|which) (is|lie|were|happened) | the ones (that|which) are | located | situated
    | (that|which) (took|take|lasted|last) | taking | lasting | taken | collected | measured
    | seen | spotted | sighted | observed | lying | sitting | standing | growing | served by | found | being | are
    | that | which | [that|which|who] (are|is|was|were) still | still | [[that|which] (are|is|need|needs)] to be
    | where they are | were | was | [that] (happened|occurred) | [that|which] took place | [that|which]
    (use|uses|using|(pay|pays|paying) (in|with)) [the]
    | (have|had) (we|you|they) (done|made|carried out|logged|recorded)
""")
OF_KIND = Phrases("of [the] (type|kind) | of (class|category)")
WITH = Phrases("""
    (that|which) (have|has|had) | who have | there's | [that|which] went to | with | at | having | have | has | had
    | whose | where | (for|of) which
    | [that|which] (carry|carries|carrying|hold|holding|involved|involve|involving|record|recording|reach|reaching|offer
    |offering|employ|employing|measuring|allow|allowing)
""")
SHOWN_WITH = Phrases("[,|and] [along|together] with (their|its) | and (their|its) | , including (their|its)")
AND = Phrases(", and | and | ,")
TOOK_PART = Phrases("""
    involved | present | available | affected | installed | assigned | recorded | registered | reported | given
    | entered | known | on file | at all
""")
"""Words without meaning after a column: `with a cyclist involved`, `no adjuster assigned`."""
RUNS_OUT = Phrases("[that|which] ((runs|run|ran) out|expires|expire|expired) | (that|which) (ends|end|ended)")
CARRIES = Phrases("carries | holds | records | reaches | offers | employs | lasts | lasted | takes | took")
NOT = Phrases("""
    but not | and not | not [yet] | [that|which] (aren't|isn't) | (haven't|hasn't|(have|has) (not|never)) [yet] been
    | [if] (one|you|we) (leaves|leave) out | except [for] | excluding | exclude | other than | apart from | excluded
    | outside [of] | (leave|leaving) out | (not|without) counting | not including | ignoring
""")
DO_NOT = Phrases("[that|which] (don't|doesn't|do not|does not)")
BELONGS = Phrases("[that|which] (belong|belongs|belonging|belonged) to [the]")
NEITHER = Phrases("[that|which] (have|has) neither [a|an] | [with|are|is] neither [a|an]")
AGO, RELATIVE = Phrases("ago"), Phrases("today | yesterday | last | past | this | next")
PERIODS = Phrases("(day|days|week|weeks|month|months|quarter|quarters|year|years)")
IN = Phrases("""
    that lie in | in the country of | in the state of | in the city of | inside of | inside | in | from
    | within | of | at | on | during
""")
ALTHOUGH = Phrases("yet | although | [even] though | while | whereas | despite being")
NORMALLY = Phrases(
    "normally | usually | by default | should [normally|usually] | ought to | [are|is] (supposed|meant) to"
)
CURRENTLY = Phrases("currently | presently | right now | now | at present | at the moment | actually")
OR_WORSE, BECAUSE = Phrases("(or|and) (better|worse)"), Phrases("because of | due to | owing to | caused by")
ABOUT = Phrases("about | regarding | (closed|classified|recorded|marked|listed|coded|flagged) as")
MADE_OF = Phrases("[that are|which are|that is|are|is] (paved|surfaced) (with|in) | made (of|from)")
MATERIALS, REASONS = frozenset(("surface", "material", "pavement", "paving")), frozenset(("reason", "cause"))
AFFIRMED = Phrases("[is|are|isn't|aren't] [not] (ok|okay|allowed|accepted|permitted)")
NAMED = Phrases("with the name | by the name of | whose name is | named | called | titled")
IS = Phrases("[is|are] equal to | equals | is | are | was | were | of | == | = | being")
CONTAINS = Phrases("contain[s] | containing | includes | including | has | with | like | matching | matches")
THE_WORD = Phrases("[the] (word|words|text|term)")
BY_MEANS = Phrases("""
    [that|which] [(came|come|coming) in|reported|received|sent|made|filed] (through|via) | [that|which|who] [still]
    (come|comes|coming|came|go|goes|going|went|get|gets|getting|got|travel|travels|travelling|traveling|travelled)
    [to (school|work)] (by|on) | [that|which] [were|was|are|is] (sold|let|leased|rented|given|awarded|allocated) to
""")
STARTS, ENDS = Phrases("(start[s]|starting|begin[s]|beginning) with"), Phrases("(end[s]|ending) (with|in)")
EMPTY = Phrases("[is|are] (empty|missing|unknown|null|blank) | (is not|isn't) (known|set)")
FILLED = Phrases("([is] not|isn't) (empty|null|missing) | is (known|set|there) | exists | known")
NEVER = Phrases("never [been] | not [yet] [been] | (haven't|hasn't|weren't|wasn't|aren't) [yet] [been]")
ONLY_SO_MANY = Phrases("[only|just] (a|one) single | only | just | nothing but")
"""Before the exact number of rows: `only one`, `just 3`."""
WITHOUT = Phrases("""
    [but] without [any|a|an] | [but] without (a|one) single | with no | but no | [with] missing | with unknown
    | (with|[that|which] (have|has)) [a|an] (empty|blank|null|missing)
    | where there (is|are|was|were) (no|not any) | [that|which] have no | has no | having no | [that] lack | lacking
    | [that|which] (don't|doesn't|didn't|do not|does not|did not) have [any|a|an]
""")
_SHAPE, _HAVING = "(geometry|geometries|shape|shapes)", "[with|having|that have|which have] [a|an]"
WITHOUT_SHAPE = Phrases(f"(without|with no|[that|which] have no|has no|with missing) [a|any] {_SHAPE}")
INVALID_SHAPE = Phrases(f"whose {_SHAPE} (is|are) (invalid|broken) | {_HAVING} (invalid|broken) {_SHAPE}")
VALID_SHAPE = Phrases(f"whose {_SHAPE} (is|are) valid | {_HAVING} valid {_SHAPE}")
EMPTY_SHAPE = Phrases(f"whose {_SHAPE} (is|are) empty | {_HAVING} empty {_SHAPE}")
PLACE_NOUNS = Phrases("the country | the state of | the city of | the region | country | the continent of")

AT_LEAST = {
    "at least": ">=", "a minimum of": ">=", "at the least": ">=", "at most": "<=", "up to": "<=", "a maximum of": "<=",
    "in excess of": ">", "since before": "<", "equal to": "=", "other than": "<>", "not equal to": "<>",
    "different from": "<>",
}  # fmt: skip
"""Comparison phrases."""
COMPARED = Phrases(" | ".join(AT_LEAST))
SUPERLATIVE = Phrases(" | ".join(SUPERLATIVES))

# styles, others in looks/phrases.py ------------------------------------------------------------

ON_THE_MAP = Phrases("(on|onto) (the|a|my) map [please] [,]")
ON_TOP = Phrases("on top [of (it|them|that|those|everything)]")
_THEM = "(it|them|these|those|each|each one)"
COLOUR_THEM = Phrases(f"(draw|show|map|plot|put|display) {_THEM} | (colour|color|shade|fill|paint) [{_THEM}]")
LABEL_THEM = Phrases(f"label [{_THEM}] [by|with|using|for]")
SET_AGAINST = Phrases("vs | vs . | versus | [,] (compared|as compared|in comparison) (with|to) | against")
GREATEST_FIRST = Phrases("""
    [,] [the] (highest|largest|greatest|biggest|longest|most) [ones] (first|on top) | [,] [sorted|ordered|ranked] [in]
    (descending|decreasing) [order]
    | [,] [sorted|ordered|ranked|[and] sort (it|them|the result|the list)]
    from (high to low|large to small|[the] highest to [the] lowest|most to (least|fewest))
""")
"""Sort orders of groups in answers."""

# --- subjects --------------------------------------------------------------------------------------------

SORTED = Phrases("(sorted|ordered|ranked|order|sort) by | in order of")
THINGS = Phrases("layer | layers | table | features | data | points | polygons | lines | map")
WITH_THE = Phrases("(with|having) the | [that|which] (have|has) the | with")
DESCENDING = Phrases(
    "descending | desc | decreasing | from (high to low|large to small) | in descending order"
)
ASCENDING = Phrases("ascending | asc | increasing | from low to high | in ascending order")

# --- changing the map ------------------------------------------------------------------------------------

ONLY = Phrases("""
    [show me|show] (only|just) | show me (only|just) | only show [me] | just show [me] | only keep | keep
    [only|just] | display only | only display | (restrict|limit) [it|them] to | filter [to|for|by|on|where] |
    narrow [down|it down] to
""")
THE_OTHERS = Phrases("[all] [the] (others|rest) | [all] the other ones | all other ones | everything else")
ONES = Phrases("[the] ones | those | anything | [the] (features|rows) | [the] rest | the others")
EXCLUDE = Phrases("exclude | leave out | filter out | without | drop | remove | hide | omit | skip | not")
ALSO = Phrases(
    "also [show|show me|add|include] | and also | plus | include [also] | as well as | or | [and] add [also]"
)
INSTEAD = Phrases("""
    what about | how about | and what about | and | now | make it | make that | rather | instead
""")
HEAT_MAP_OF = Phrases(
    "[show me|show|make|draw|create|add] [a] (heat map|heatmap|density map) [of|for|:] | density of"
)
HEXBINS_OF = Phrases(
    "[show me|show|make|draw] (hexbins|hexagons) (of|for) | [show] [a] hexbin map of | hexbin"
)
SQUARES_OF = Phrases("[show] [a] (grid|grid map|square grid) of | [show] grid cells of | square bins of")
CLUSTERS_OF = Phrases("[show|draw] clusters of | [show] [a] cluster map of | cluster [the]")
COLOUR = Phrases("colour | color | shade | paint | style | fill | recolour | recolor | tint")

# --- spatial questions ------------------------------------------------------------------------------

RESULT = Phrases("""
    these | those | it all | all of it | them all | all of that
    | them | it | they | (each|all|any|one) of (them|these|those) | each one | the result | the results
    | the ones found | the areas found
""")
"""The result of the previous step."""

# --- asking ----------------------------------------------------------------------------------------------

WHAT = Phrases("""
    who (is|was) the | who are the | who is | (what is|what are|what was|what's|which is|which are|tell
    me|give me|compute|calculate|find|get) the | what (is|are) | what's | tell me | give me | calculate
    | compute | [and] the
""")
HOW_MANY = Phrases("""
    [tell me] how many | [what is|what's] the [total] number of | [total] number of | [what is] the count of |
    count [of|up]
""")
THERE_ARE = Phrases("""
    (are|is|were) there | there (are|were) | stand | grow | occur
    | (are|is|were|was) (located|found|seen|observed|recorded|registered|reported)
    | do (we|you) have | have we got | exist | can (you|i) see | do
    (you|i) see | are (shown|visible|left) | remain
""")
LIST = Phrases("""
    list [me] | name | enumerate | query | [give me|show me|make] a list of | [show] a table of | table of |
    which of the | which | what
""")

# --- questions about one table, piece by piece --------------------------------------------------------------

COUNTED = Phrases(
    "[and|for] how (many|often) [of them] [are there] | [the] (number|numbers|count) [of] | count [of|up]"
    " | [,] by [the] number of"
    " | n [=] [?]"
)
GROUPS_WITH = Phrases("(that|which) (have|has|had) | having | with | containing")
ONLY_GROUPS = Phrases("[, [but]] (only|just) [for|in|of] [the|those] | (for|in|of) [only] [the|those]")
MOST_OF = Phrases(
    "[the] (most|fewest|least) [number of] | (cost|costs) [us|the city] the (most|least) [in|for]"
)
THE_SAME = Phrases("(the|its|their) (amount|value|figure)")
WITH_THEIR = Phrases("[,] [along|together] with [their|its] | [,] including [their|its]")
WITH_SHARE = Phrases("""
    [,|and|, and] (with|as) [its|their|a|the] (share|percentage|part|percent) of
    (the world [total]|the total|all|the whole)
""")
AS_SHARE_OF = Phrases("[,] (as|in) [a|the] (share|percentage|percent|proportion|fraction|part|%) of [the]")
COMPARE = Phrases("compare")
ONLY_TOP = Phrases("[[and] show] [only|just] [the] (top|first)")
AND_WITH = Phrases("[,] (and|with|to)")
OF_WHICH = Phrases("[in|on|at|for|of|with|within] (which|what)")
HOW_MUCH = Phrases("how much")
SHARE = Phrases("""
    [a|the] (share|percentage|percent|proportion|fraction|part|%) [of] | by how (many|much) (percent|per cent|%)
""")
PERCENT = Phrases("percent | percentage | per cent | % | relative")
CHANGED = Phrases("change | changes | changed | development | difference")
"""Nouns and verbs for the change of a number between two years."""
OF_EACH = Phrases("""
    [,] (by|per|across|by the|for all|for the different|in the different) | [,] (for|in|of|at|on|within|under)
    (each|every) | each | every | [,] (grouped|split|broken down|separated) by [the] | by each
""")
LEAST_FIRST = Phrases("""
    [,] [the] (lowest|smallest|least|shortest|fewest) [ones] (first|on top) | [,] [sorted|ordered|ranked] [in]
    (ascending|increasing) [order]
    | [,] [sorted|ordered|ranked|[and] sort (it|them|the result|the list)]
    from (low to high|small to large|[the] lowest to [the] highest|(least|fewest) to most)
""")
AS_TABLE = Phrases(
    "[,] as [a] (table|list) | [,] in a (table|list) | [show|show me|give me|make] [a] (table|list) (of|with)"
)
OF_THEM = Phrases("""
    [of] (them|these|those) [all] | [of] (each|all) of (them|these|those) | [of] the ones | they | it
""")
ASKED_FOR = Phrases("""
    list | which | [and] who | [and] (give|tell|show) me | name | report | [and] what (is|are|was|were)
    | [and] what | state
""")
MAKE_ME = Phrases("[and] [also] (make|give|show|draw|create|plot) [me|us|it|this|that|them] [as|in]")
CHARTS = Phrases("""
    ([stacked|grouped|horizontal] bar|column|line|pie|donut|doughnut|box) (chart|graph|plot|diagram)
    | chart | graph | diagram | bars | barchart | linechart | boxplot | box and whisker plot | histogram | pie
    | frequency chart | scatterplot | scatter (plot|chart|graph|diagram)
""")
CHART_TITLE = Phrases("[with] [the|a] title [of|is|=|:] | titled | called | entitled | headed")
_BARS = "(bar|bars|columns)"
BARS_OF = Phrases("bars | columns | slices | line | dots | points")
CHART_VALUES = Phrases(f"""
    [with|show|showing|write|put] [the] [data] (values|numbers|figures|counts) [shown|written] (on|at|above|next to)
    [the|each] [top of the] {_BARS} | [with] (value|data) labels
""")
NO_LEGEND = Phrases("(no|without|hide) [the|a|any] legend | [with] no legend")
ADVERBS_OF_TIME = Phrases("hourly | daily | monthly | yearly | annual")
OVER_TIME = Phrases("[,] (over|through) (time|[the] years) | [,] by date")
RELATED = Phrases("[is there] [a|an|any] (relation|relationship|correlation) (between|of) | scatter")
OF_ALL = Phrases("(for|in|across) the (whole|entire) (city|area|network|district)")
SPLIT_BY = Phrases("[,] [and] [split|broken down|coloured|colored|stacked|one (line|series)] (by|per) [the]")
DRAWN = Phrases("show | map | draw | display | plot | highlight | put | add | on [the|a] map | (as|on) a map")

# --- between commands ------------------------------------------------------------------------------------

JOINERS = Phrases("""
    and then | then | and | ; | , | . | ! | ? | afterwards | after that | finally | & | but | - | – | —
    | (together|along) with
""")
_ASIDES = """
    i mean | if you (like|want|do not mind|don't mind) | of course | by the way | no rush | to be (exact|precise|honest)
    | just (roughly|approximately) | (roughly|broadly) speaking
    | [(this|that)] would be (nice|great|good|helpful|perfect)
    | [and] what are the [two] (numbers|figures|values)
    | [just] so [that] (i|we) know what's coming | [just] so [that] (i|we) know [what to expect]
"""
_PRAISE = "(great|perfect|good|nice|cool|super|excellent|lovely|wonderful|right|fine)"
PRAISE = Phrases(f"{_PRAISE} ,")
"""Polite before a command (`good, show …`), otherwise values (`good, fair and poor bridges`)."""
FLUFF = Phrases(f"""
    {_ASIDES} | {_PRAISE} (!|.) | (alright|yes|yeah|hm|oh) (,|!|.) | please | pls | kindly | hey | hi | hello | ok
    | okay | now | just | so | well | geoagent | (can|could|will|would) you [please|kindly] | may i
    | (can|could) (we|i) [get|have] | (i would|i'd|i should) (like|love) [to] | (i would|i'd|i should) like to know
    | i want [to|you to] | i want to know | (i|we) need [to] | need (a|the) | we want to | let (me|us) | let's | lets
    | help me | go ahead and | try to | [and] then | also please | next | first | finally
    | (thanks|thank you) [in advance] | (would you be|be) so kind as to | i need to know
    | (i would|i'd) be (interested in|curious|glad to know|grateful if you could [also]) | i am interested in
    | i wonder (if|whether) you could | do you know | [i'm|i am|we're|we are] looking for | if (possible|you can)
""")
"""Polite openings without meaning."""
TAIL = Phrases(f"""
    {_ASIDES} | please | pls | now | (thanks|thank you) [in advance] | for (me|us) | on (a|my|this) map | there are
    | (on|to|onto|from|off|in) the map | are there | [still] exist | again | too | as well | instead | do you know
    | do (we|you) [still] have | have (we|you) [[still] got] | (we|you) [still] have | we've (had|got) | right now
    | (are|is) on the map | in total | altogether | at all | ok | okay | of the world | globally | in the whole world
    | in the (network|world|database|data|table|register|records) | on earth | worldwide | in (our|my|your) data
    | are stored | of them | in all | or so | called | [are] left | yet | remain | so far | overall | currently
    | at (present|the moment) | (as|on|in) a (map|table|list) | as (table|list) | on record
    | ever [measured|recorded|seen|observed]
""")
"""Closing words without meaning."""

# --- single words ----------------------------------------------------------------------------------------

SINGLE_WORDS = word_set("""
    living inhabit citizens few high populous render categorise categorize symbolise symbolize appear annotate caption
    along beside time slider timeline labelling terms respect ascending asc increasing meaning cent tones shades
    labelled labeled line circle point width fatter thick finer thin tiny interval counts px pixels pixel weighted
    field numbers asl absolute absolutely nor during neither true yes false kind category letter general currently
    nobody already wholly entirely capita working first half semi completely slightly fully really very every annotated
    captioned twice double plus solid opacity alpha showing d blocks towers extruded raised rising delay period aged
    ours mine our my epsg utm zone n s head latitude longitude degree degrees deg here north south east west wise
""")
"""Words that rules look for individually."""
