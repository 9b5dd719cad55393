"""Parts that templates share: `<ask>`, `<for_each>`. Data only."""

from __future__ import annotations

from agents.offline.language.grammar import parts

PART_TEXTS = {
    "open": "[show me|show|make|draw|create|compute|calculate|find|get|take|map|mark|put|build|generate]",
    "what": "[what is|what's|what are|show me|show|compute|calculate|find|give me|tell me|report|map|list|add]",
    "ask": "[show|show me|add|plot|put|draw|which|what|find|find me|list|select|display|map|highlight|get|identify"
    "|how many [of]|number of|count|which of [the]|give me|where are|where is|tell me|keep only|keep|only"
    "|(what|which|who) (is|are|were)|what's|are there|is there|i need|look for|search for|(does|do) any"
    "|did (anybody|anyone|somebody|we) (see|find|spot|observe|record)] [all|any]",
    "are": "(that are|which are|that lie|lying|located|are there|there are|are|lie|is|that|which|stand|standing"
    "|that stand|grow|growing|occur|occurred|happened|that happened|took place|were|was|are located|are situated"
    "|situated|fall|are found|can be found|sit|run|[that] (pass|running|passing)"
    "|[were|was|are|is] (taken|found|seen|recorded|measured|built|placed|reported|collected|issued))",
    "closer": "(within|inside|closer than|less than|at most|nearer than|up to|(not|no) (more|farther|further) than"
    "|(in|within) a (radius|distance) of)",
    "farther": "(more than|farther than|further than|at least|over|beyond|farther away than|further away than|outside)",
    "away": "[away] (of|from|to|around) [any|the nearest|the next]",
    "of_each": "(of|around each of|around|round|of each of|for|from|on|inside|in)",
    "how_many": "(how many|how many of|what is the number of|what's the number of|tell me how many|the number of"
    "|number of|what is the count of|the count of|count of|count up|count)",
    "in_each": "(in each|in every|per|inside each|within each|under each|for each|each)",
    "for_each": "(for each|for every|in each|in every|inside each|within each|under each|grouped by|split by"
    "|broken down by|per|by each|by|of each|of every|each)",
    "has": "(has [had|reported|recorded]|have [had|reported|recorded]|reported|had|with|having|that have|get|gets|got"
    "|see|sees|saw|serve|serves|hold|holds|manage|manages|maintain|maintains|show|shows|record|records|recorded|count"
    "|counts|contain|contains|containing|received|receives|is there|are there|were there|is|are|was|were|lie|lies|stand"
    "|stands)",
    "having": "(with|that have|which have|having|have|has|that had|had|contain|contains|that contain|containing|hold"
    "|holding|where there are|in which there are|with a total of|that got|got|saw)",
    "share": "(share|percentage|percent|proportion|fraction|%)",
    "bordering": "(bordering on|bordering|border on|border|borders|touching|touch|touches|neighbouring|neighboring"
    "|adjacent to|next to|sharing a border with|share a border with|that border|that borders)",
    "inside": "(in them|inside|inside them|inside it|in it|within them|within it|within their borders|on them|there)",
    "far": "[<how_far>]",
    "how_far": "([,] [and|with|plus|including|give me|tell me] [the|its|their|both] (distance[s]|dist) [to (it|them)]"
    " [in (m|metres|meters|{unit:unit})]"
    "|[,] [and] how far [away] [it is|is it|they are|are they|is that|that is|each is|each of them is])",
    "counted": "[[,] [and|with|give me] [the|their|its] (count|number|how many) [of them] [each|of each|for each]]",
    "giving": "[with|including|giving|plus|and]",
    "then": "{_:then}",
}  # fmt: skip
PARTS = parts(**PART_TEXTS)
