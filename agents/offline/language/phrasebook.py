"""The fixed phrases of the language, by the rules that look for them. Data only.

`|` stands between phrases; where several fit, the longest is taken.
"""

from __future__ import annotations

from agents.offline.language.words import Phrases

# --- what is spoken of -----------------------------------------------------------------------------------

PRONOUN_PHRASES = Phrases("""
    this layer | that layer | these features | those features | the layer | the features | current layer
    | the circles | the points | the dots | the lines | the symbols | the bubbles | the areas | the last
    layer | last layer | the top layer
""")
EVERYTHING = Phrases("""
    everything | all layers | all the layers | every layer | all of them | them all | all of it | the
    layers | each layer | layers
""")
KINDS_OF_THING = Phrases("layer | layers | table | tables | features | dataset")

# --- conditions ------------------------------------------------------------------------------------------

IN_VIEW = Phrases("""
    in the current view | in the present view | in my view | in the view | in view | within the view |
    in sight | on screen | on the screen | in what i see | i see | i can see | visible
""")
IN_AREA = Phrases("""
    in this area | in the area | in that area | in the drawn area | in the box | in this region | inside
    the area | within the area | within this area | inside this area | in the shape | in this part | in
    this polygon | in the polygon
""")
HERE = Phrases("here")
SELECTED = Phrases("""
    that are selected | i selected | i have selected | selected | in the selection | in my selection
""")
LINKS = Phrases("""
    that are | which are | who are | that is | which is | that lie | which lie | that were | which were
    | the ones that are | the ones which are | located | situated | lying | found | being | are | that |
    which | where they are | were | was | that happened | which happened | happened | that occurred | occurred
""")
EVERYWHERE = Phrases(
    "in the world | of the world | in the whole world | on earth | worldwide | in all the world | globally"
)

WITH = Phrases("""
    that have | which have | that has | which has | who have | with | having | have | has | whose |
    where | for which | of which
""")
NOT = Phrases("""
    but not | and not | not | except for | except | excluding | other than | apart from | excluded |
    outside of | outside
""")
IN = Phrases("""
    that lie in | in the country of | in the state of | in the city of | inside of | inside | in | from
    | within | of | at | on
""")
NAMED = Phrases("with the name | by the name of | whose name is | named | called | titled")
IS = Phrases("""
    is equal to | are equal to | equal to | equals | is | are | was | were | of | == | = | being
""")
CONTAINS = Phrases("""
    contains | contain | containing | includes | including | has | with | like | matching | matches
""")
STARTS = Phrases("starts with | start with | starting with | begins with | begin with | beginning with")
ENDS = Phrases("ends with | end with | ending with | ends in | ending in")
EMPTY = Phrases("""
    is empty | are empty | is missing | are missing | is null | is unknown | is not known | is blank |
    is not set | empty | missing | unknown | null | blank
""")
FILLED = Phrases("""
    is not empty | is not null | is not missing | is known | is set | is there | exists | known | not
    empty | not null
""")
WITHOUT = Phrases("""
    without | with no | that have no | which have no | lacking | without any | without a | without an | have no |
    has no | having no | that lack | lack
""")
PLACE_NOUNS = Phrases("the country | the state of | the city of | the region | country | the continent of")

AT_LEAST = {"at least": ">=", "a minimum of": ">=", "at the least": ">=", "at most": "<=", "up to": "<="} | {
    "a maximum of": "<=",
    "in excess of": ">",
    "equal to": "=",
    "other than": "<>",
    "not equal to": "<>",
    "different from": "<>",
}
"""Phrases that compare."""

# --- looks -----------------------------------------------------------------------------------------------

COLOURED = Phrases("""
    coloured | colored | shaded | painted | styled | filled | tinted | classified | drawn | symbolised |
    symbolized | categorised | categorized
""")
CIRCLES = Phrases("""
    as proportional circles | as graduated circles | as circles | as bubbles | as proportional symbols |
    as dots | as graduated symbols | as points | with circles | with bubbles | using circles | using
    bubbles | as scaled circles
""")
SIZED = Phrases("""
    sized by | scaled by | size by | sized according to | sized after | proportional to | by size of |
    scaled to | with size by | sized with
""")
HEAT = Phrases("""
    as a heat map | as a heatmap | as heat map | as heatmap | as a density map | as density | as heat |
    as heatmaps
""")
HEXBINS = Phrases("""
    as hexbins | as hexbin | as a hexbin | as a hexbin map | as hexagons | as a hexagon map | in hexbins | in hexagons |
    by hexagon | binned into hexagons | binned in hexagons | as hexagonal bins
""")
SQUARES = Phrases("""
    as a grid | as grid | as grid cells | as square bins | as squares | in grid cells | binned into squares |
    binned in a grid | binned into a grid | as a grid map
""")
CLUSTERS = Phrases("""
    as clusters | clustered | as cluster | as a cluster map | in clusters | as numbered circles
""")
WITH_STATISTIC = Phrases("by | with | of | showing | coloured by | colored by")
RAMP_NOUNS = Phrases("""
    colour ramp | color ramp | colour scale | color scale | colour scheme | color scheme | palette |
    ramp | scale | scheme | colours | colors
""")
CLASS_NOUNS = Phrases("""
    classes | class | groups | categories | bins | steps | colours | colors | levels | breaks |
    intervals | buckets
""")
NAME_WORDS = Phrases("their names | the names | names | its name | the name | name | labels | a label")
IN_COLOUR = Phrases("""
    in the colour | in the color | in colour | in color | in | as | with the colour | with colour | to |
    using | with
""")
COLOURED_THINGS = Phrases("""
    colour | color | circles | dots | points | lines | areas | polygons | shapes | markers
""")
BY = Phrases("""
    by the value of | by the | by their | by its | by | according to | based on | after | for each | per
""")
UNLABELLED = Phrases("without labels | without names | without a label | with no labels | unlabelled")

# --- subjects --------------------------------------------------------------------------------------------

SORTED = Phrases("sorted by | ordered by | ranked by | order by | sort by | in order of")
THINGS = Phrases("layer | layers | table | features | data | points | polygons | lines | map")
WITH_THE = Phrases("""
    with the | having the | that have the | which have the | have the | has the | that has the | which
    has the | with
""")
DESCENDING = Phrases("""
    descending | desc | decreasing | from high to low | from large to small | in descending order
""")

# --- changing the map ------------------------------------------------------------------------------------

RESET = Phrases("""
    reset the map | reset map | reset everything | reset it all | reset all | reset | clear the map |
    clear map | clear everything | clear all layers | clear all | clear the layers | empty the map |
    empty map | start over | start again | start afresh | remove everything | remove all layers | remove
    all the layers | remove all of them | remove all | remove them all | delete everything | delete all
    layers | delete all the layers | delete all | clean the map | clean up the map | wipe the map | take
    everything off | drop all layers | new map
""")
ALL_AGAIN = Phrases("""
    show all of them again | show all of them | show them all again | show them all | all of them again
    | all of them | them all | all again | show all again | show all the features | show all features |
    show all | show everything again | all features | all features again
""")
ONLY = Phrases("""
    show me only | show only | show just | show me just | only show me | only show | just show me | just
    show | only keep | keep only | keep just | keep | display only | only display | only | just |
    restrict to | limit to | filter to | filter for | filter by | filter on | filter where | filter |
    narrow to | narrow down to | narrow it down to | restrict it to | restrict them to | limit it to |
    limit them to
""")
ONES = Phrases("the ones | those | ones | the features | features | the rest | rest | the others")
EXCLUDE = Phrases("""
    exclude | leave out | filter out | without | drop | remove | hide | omit | skip | not
""")
ALSO = Phrases("""
    also show me | also show | also add | also include | also | and also | plus | include also | include
    | as well as | or | add also | add
""")
INSTEAD = Phrases("""
    what about | how about | and what about | and | now | make it | make that | rather | instead
""")
UNDO = Phrases("undo | revert | take that back | take it back | go back | step back | roll back")
LAST_CHANGE = Phrases("""
    that | it | this | the last change | my last change | last change | the last step | the change | the
    last one
""")
TAKE_OFF_FILTER = Phrases(
    "clear | remove | drop | reset | delete | turn off | undo | no | without | take off"
)
TAKE_OFF_LABELS = Phrases("""
    remove | delete | drop | hide | no | clear | turn off | switch off | take away | without | unlabel
""")
TO_TOP = Phrases("""
    to the top | on top of everything | to top | to the front | to front | on the top | in front |
    uppermost | topmost
""")
TO_BOTTOM = Phrases("to the bottom | to bottom | to the back | to back | at the bottom | undermost")
WHOLE_MAP = Phrases("""
    everything | all layers | all the layers | all | the whole map | fit all | fit everything
""")
CHANGE_COLOUR_OF = Phrases("""
    set the colour of | set the color of | change the colour of | change the color of | change colour of
    | change color of | the colour of | set colour of | set color of | change the style of
""")
CHANGE_COLOUR = Phrases("""
    set the colour | set the color | change the colour | change the color | change colour | change color
    | set colour | set color
""")

ZOOM_TO = Phrases("""
    zoom to the extent of | zoom to the bounds of
    | zoom to | zoom into | zoom on | zoom at | zoom onto | zoom | go to | fly to | pan to | center on
    | centre on | center the map on | centre the map on | jump to | navigate to | take me to | focus
    on | move to | move the map to | show me where | bring me to | go back to | fit
""")
HEAT_MAP_OF = Phrases("""
    show me a heat map of | show me a heatmap of | show me a density map of | show me a heat map for
    | show me a heatmap for | show a heat map of | show a heatmap of | show a density map of | show
    a heat map for | show a heatmap for | make a heat map of | make a heatmap of | make a density
    map of | make a heat map for | make a heatmap for | draw a heat map of | draw a heatmap of |
    draw a density map of | draw a heat map for | draw a heatmap for | create a heat map of | create
    a heatmap of | create a density map of | create a heat map for | create a heatmap for | add a
    heat map of | add a heatmap of | add a density map of | add a heat map for | add a heatmap for |
    a heat map of | a heatmap of | a density map of | a heat map for | a heatmap for | heatmap of |
    heat map of | heat map for | heatmap for | density of
""")
HEXBINS_OF = Phrases("""
    show me hexbins of | show hexbins of | make hexbins of | draw hexbins of | a hexbin map of | hexbin map of |
    hexbins of | hexbins for | show hexagons of | hexagons of | show a hexbin map of | hexbin
""")
SQUARES_OF = Phrases("""
    show a grid map of | a grid map of | grid map of | show grid cells of | grid cells of | square bins of
""")
CLUSTERS_OF = Phrases("""
    show clusters of | draw clusters of | a cluster map of | cluster map of | show a cluster map of |
    cluster the | cluster
""")
REMOVE = Phrases("remove | delete | drop | erase | kill | clear | discard | take")
COLOUR = Phrases("colour | color | shade | paint | style | fill | recolour | recolor | tint")

# --- spatial questions ------------------------------------------------------------------------------

ASKING = Phrases("""
    show | show me | which | what | find | list | select | display | map | how many | count | which of the | give me
    | where are | tell me
""")
FARTHER_THAN = Phrases("""
    more than | farther than | further than | at least | over | beyond | farther away than | further away than
    | outside
""")
CLOSER_THAN = Phrases("""
    within | closer than | less than | at most | nearer than | up to | not more than | in a radius of
""")
EXTREMES = Phrases("""
    farthest | furthest | closest | nearest | the farthest | the furthest | the closest | the nearest | most remote
""")
IN_EACH = Phrases("in each | in every | per | inside each | within each | for each | each")
FOR_EACH = Phrases("""
    for each | for every | in each | in every | inside each | within each | grouped by | split by | broken down by | per
    | by each | by | of each | of every | each
""")
RESULT = Phrases("""
    these | those
    | them | it | they | each of them | all of them | each one | the result | the results | the ones found | the areas
    found
""")
"""What the step before has made."""
SHAPE_NOUNS = Phrases("""
    centroid | centroids | centres | centers | points inside | points on | a point inside | convex hull | convex hulls
    | hull | hulls | concave hull | concave hulls | bounding boxes | bounding box | envelopes | envelope
    | oriented boxes | oriented envelopes | smallest rectangles | voronoi polygons | voronoi cells
    | voronoi diagram | voronoi | thiessen polygons | delaunay triangles | delaunay triangulation | delaunay
    | triangulation
""")
SHAPE_VERBS = Phrases("smooth | repair | make valid | fix | explode | split | take apart")
HOT_SPOTS = Phrases("hot spots | hotspots | hot and cold spots | hot spot | cold spots")
AUTOCORRELATION = Phrases("spatial autocorrelation | autocorrelation | moran's i | moran's | moran i | moran")
CELLS = Phrases(
    "hexagons | hexagon | hexagonal | hexbins | squares | square | square cells | hexagonal cells"
)
UNITED = Phrases("""
    and dissolve them | and dissolve | dissolved | and merge them | and unite them | united | merged
""")
BORDERING = Phrases("""
    bordering on | bordering | border on | border | touching | touch | neighbouring | neighboring | adjacent to
    | next to
    | sharing a border with | share a border with | that border
""")
WITHOUT_ANY = Phrases("""
    without | with no | that have no | having no | not containing | that do not contain | lacking |
    outside of all | outside of any | outside all | outside any | not in any | not inside any | in no | in none of |
    have no | has no | do not have | does not have | don't have
""")
HAVING = Phrases("""
    have no | has no | do not have | does not have | don't have |
    without | with no | that have no | having no | lacking | with | having | that have
""")
MEETING = Phrases("""
    have no | has no | do not have | does not have | don't have |
    outside of all | outside of any | outside all | outside any | not in any | not inside any | in no | in none of |
    without | with no | that have no | having no | not containing | that do not contain | lacking | with | having
    | containing | that contain | that have | inside | in | within | intersecting | touching | crossed by
    | that intersect
""")

# --- asking ----------------------------------------------------------------------------------------------

WHAT = Phrases("""
    who is the | who are the | who is | who was the |
    what is the | what's the | what are the | which is the | which are the | whats the | what was the |
    what is | what are | what's | whats | tell me the | give me the | compute the | calculate the | find
    the | get the | tell me | give me | calculate | compute | the | and the
""")
TABLES = Phrases("""
    what tables are there | which tables are there | what data is there | what data are there | what
    tables | which tables | what data | which data | what datasets | which datasets | list the tables |
    list tables | list all tables | list all the tables | list the data | list data | list datasets |
    show me the tables | show the tables | show tables | show me all tables | show all tables | show me
    the data | show data | tables | datasets | what can i see | what can i map | what can i look at |
    what is there | what is available | what's available | what do you have | what have you got | what
    is in the database | what's in the database | what layers are available | which layers are available
    | what layers can i add | which layers can i add | available tables | available data | what else is
    there | what can you show me | what can you show | show me what you have | what data do you have |
    which data do you have | which tables do you have | what tables do you have | what tables do i have
    | what data do i have | what have i got | how many tables
""")
LAYERS = Phrases("""
    what is on the map | what's on the map | whats on the map | what layers are on the map | which
    layers are on the map | what layers are there | which layers are there | list the layers | list
    layers | list all layers | what do i see | what is shown | what is displayed | what am i looking at
    | which layers do i have | what layers do i have | show the legend | what layers | which layers |
    layers | how many layers
""")
HELP = Phrases("""
    help me | help | what can you do | what can i do | what can i ask | what can i say | what do you
    understand | how does this work | how do you work | commands | examples | give me examples | show me
    examples | what are you | who are you | what is this | how do i start | instructions | manual | ?
""")
HOW_MANY = Phrases("""
    how many | what is the number of | what's the number of | tell me how many | the number of | number
    of | what is the count of | the count of | count of | count up | count | total number of | the total number of |
    what is the total number of
""")
THERE_ARE = Phrases("""
    are there | there are | do we have | do you have | have we got | exist | can you see | do you see |
    do i see | is there | are shown | are visible | can i see | were there | there were
""")
LIST = Phrases("""
    list | list me | name | enumerate | query | give me a list of | show me a list of | make a list of |
    a list of | show a table of | a table of | table of | which of the | which | what
""")
THERE_ARE_TABLES = Phrases("""
    are there | is there | are available | is available | exist | do you have | do i have | do we have |
    there are | have you got | can i use | can i see | can i show
""")
SEARCH = Phrases("""
    search for tables about | search tables for | search tables about | search for | search | find
    tables about | find data about | find data on | find tables for | tables about | data about | data
    on | is there data about | is there data on | is there any data about | is there any data on | is
    there anything about | anything about | do you have data about | do you have data on | do you have
    any data about | do you have any data on | do you have anything about | do you have anything on |
    which tables are about | what tables are about | which table is about | look for | are there tables
    about | which tables mention
""")
WHAT_COLUMNS = Phrases("""
    what columns does | which columns does | what fields does | which fields does | what attributes does
""")
DESCRIBE = Phrases("""
    describe | explain | tell me about | tell me more about | information about | info about | info on |
    details of | details about | what columns are in | which columns are in | what are the columns of |
    the columns of | columns of | columns in | fields of | schema of | structure of | what is in the
    table | what is in | what's in | what do you know about | attributes of | show me the columns of |
    show the columns of | more about | about
""")
WHERE_IS = Phrases("""
    where is | where's | wheres | where lies | locate | find the place | find me | find | where can i
    find
""")
THANKS = Phrases("""
    thank you very much | thank you so much | thank you | thanks a lot | thanks | great | perfect | cool
    | nice | well done | good job | awesome
""")
HELLO = Phrases("""
    hello there | hello | hi there | hi | hey there | hey | good morning | good evening | good afternoon
    | good day | moin | servus | hallo
""")

# --- between commands ------------------------------------------------------------------------------------

JOINERS = Phrases("""
    and then | then | and | ; | , | . | ! | ? | afterwards | after that | finally | & | but
""")
FLUFF = Phrases("""
    please | pls | kindly | hey | hi | hello | ok | okay | now | just | so | well | geoagent | can
    you | could you | would you | will you | can we | could we | can i | could i | may i | i would
    like to | i'd like to | i would like | i'd like | i want to | i want you to | i want | i need to
    | i need | we want to | let me | let us | let's | lets | help me | go ahead and | try to | and
    then | then | also please | next | first | finally | thanks | thank you
""")
"""Polite openings that mean nothing to the map."""
TAIL = Phrases("""
    please | pls | now | thanks | thank you | for me | for us | on the map | to the map | on a map |
    onto the map | on my map | from the map | off the map | there are | are there | exist | again |
    too | as well | instead | do we have | do you have | have we | do you know | we have | you have
    | there | are on the map | is on the map | right now | in total | altogether | at all | ok |
    okay | in the world | of the world | in the whole world | on earth | worldwide | globally
    | in the map | in the database | in the data | are stored | in the table | of them | in all
""")
"""Closings that mean nothing to the map, at the end of a command."""
