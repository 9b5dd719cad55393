"""What a column may be called: word forms, abbreviations, initials, words of its comment, nouns that add nothing."""

from __future__ import annotations

from itertools import permutations

import pytest

from agents.domain import ColumnKind
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.compared import ComparedColumns
from agents.offline.language.words import name_words
from tests.unit.geo_agent.making import make_table

Columns = list[tuple[str, ColumnKind, str]]
TRACTS: Columns = [
    ("geoid", "text", ""), ("parish", "text", ""), ("pop_tot", "integer", ""), ("hh_tot", "integer", ""),
    ("pct_unins", "number", "Percent of residents without health insurance"), ("asthma_pct", "number", ""),
    ("life_exp_yrs", "number", ""), ("svi_cat", "text", "Social Vulnerability Index, category"),
    ("hpsa", "text", "Health Professional Shortage Area (Y/N)"), ("med_hh_inc_usd", "integer", ""),
    ("med_home_val_usd", "integer", ""), ("vacant_pct", "number", ""),
    ("ed_visits_2022", "integer", "Emergency department visits in 2022"), ("ed_visits_2023", "integer", ""),
    ("area_sqmi", "number", ""),
]  # fmt: skip
CLAIMS: Columns = [
    ("claim_no", "text", ""), ("loss_dt", "date", ""), ("closed_dt", "date", ""),
    ("cause_loss", "text", "Cause of loss"),
    ("occ_type", "text", "Occupancy type of the insured building"),
    ("fld_zone", "text", "Flood zone of the policy: A, AE"),
    ("bldg_dmg_usd", "integer", "Building damage in US dollars"), ("cont_dmg_usd", "integer", ""),
    ("paid_usd", "integer", ""), ("deductible_usd", "integer", ""), ("status", "text", ""),
    ("water_depth_ft", "number", ""),
    ("yr_built", "integer", ""), ("elev_cert", "text", "Elevation certificate on file (Y/N)"),
    ("rep_loss", "boolean", "Repetitive loss property"), ("adjuster", "text", ""),
]  # fmt: skip
LEVEES: Columns = [
    ("sys_name", "text", ""), ("lev_type", "text", ""), ("crest_el_ft", "number", ""), ("design_el_ft", "number", ""),
    ("cond_rtg", "text", "Condition rating of the last inspection"), ("const_yr", "integer", ""),
    ("last_insp", "date", ""), ("len_ft", "integer", ""),
]  # fmt: skip
SAMPLES: Columns = [
    ("lab_no", "text", ""), ("site_cd", "text", "Code of the sampling site; ten samples each"),
    ("smp_date", "date", "Date of sampling"), ("do_mgl", "number", "Dissolved oxygen in mg/l"),
    ("ecoli_cfu", "integer", "E. coli, CFU per 100 ml"), ("ec_us_cm", "integer", "Electrical conductivity in µS/cm"),
    ("turb_ntu", "number", ""), ("eco_status", "text", "Ecological status class"),
]  # fmt: skip
SITES: Columns = [
    ("wpz", "text", "Water protection zone I, II or III; empty outside"), ("soil_grp", "text", "Hydrologic soil group"),
    ("wtr_tmp_c", "number", ""), ("inst_cap_mw", "number", ""), ("zip5", "text", ""), ("rent_sqm", "number", ""),
]  # fmt: skip
PEOPLE: Columns = [("pop_65p", "integer", ""), ("pop_tot", "integer", ""), ("n_ind", "integer", "")]


@pytest.mark.parametrize(
    ("columns", "said", "meant"),
    [
        (TRACTS, "percent uninsured", ["pct_unins"]),
        (TRACTS, "uninsured", ["pct_unins"]),
        (TRACTS, "uninsured residents", ["pct_unins"]),
        (TRACTS, "uninsured rate", ["pct_unins"]),
        (TRACTS, "asthma rate", ["asthma_pct"]),
        (TRACTS, "life expectancy", ["life_exp_yrs"]),
        (TRACTS, "SVI category", ["svi_cat"]),
        (TRACTS, "social vulnerability", ["svi_cat"]),
        (TRACTS, "vulnerability category", ["svi_cat"]),
        (TRACTS, "health professional shortage area", ["hpsa"]),
        (TRACTS, "household income", ["med_hh_inc_usd"]),
        (TRACTS, "median household income", ["med_hh_inc_usd"]),
        (TRACTS, "home value", ["med_home_val_usd"]),
        (TRACTS, "total households", ["hh_tot"]),
        (TRACTS, "emergency department visits 2023", ["ed_visits_2023"]),
        (TRACTS, "emergency visits 2022", ["ed_visits_2022"]),
        (TRACTS, "vacancy", ["vacant_pct"]),
        (CLAIMS, "building damage", ["bldg_dmg_usd"]),
        (CLAIMS, "contents damage", ["cont_dmg_usd"]),
        (CLAIMS, "amount paid", ["paid_usd"]),
        (CLAIMS, "cause", ["cause_loss"]),
        (CLAIMS, "date of loss", ["loss_dt"]),
        (CLAIMS, "closing", ["closed_dt"]),
        (CLAIMS, "closing date", ["closed_dt"]),
        (CLAIMS, "repetitive loss", ["rep_loss"]),
        (CLAIMS, "occupancy", ["occ_type"]),
        (CLAIMS, "elevation certificate", ["elev_cert"]),
        (CLAIMS, "year built", ["yr_built"]),
        (CLAIMS, "construction", []),
        (CLAIMS, "damage", ["bldg_dmg_usd", "cont_dmg_usd"]),
        (LEVEES, "crest elevation", ["crest_el_ft"]),
        (LEVEES, "design elevation", ["design_el_ft"]),
        (LEVEES, "condition rating", ["cond_rtg"]),
        (LEVEES, "rating", ["cond_rtg"]),
        (LEVEES, "rated", ["cond_rtg"]),
        (LEVEES, "levee type", ["lev_type"]),
        (LEVEES, "construction year", ["const_yr"]),
        (LEVEES, "system", ["sys_name"]),
        (SAMPLES, "E. coli", ["ecoli_cfu"]),
        (SAMPLES, "dissolved oxygen", ["do_mgl"]),
        (SAMPLES, "oxygen", ["do_mgl"]),
        (SAMPLES, "sampling date", ["smp_date"]),
        (SAMPLES, "turbidity", ["turb_ntu"]),
        (SAMPLES, "sampling site", ["site_cd"]),
        (SITES, "water protection zone", ["wpz"]),
        (PEOPLE, "population", ["pop_tot"]),
        (PEOPLE, "total population", ["pop_tot"]),
        (PEOPLE, "individuals", ["n_ind"]),
        (SITES, "soil group", ["soil_grp"]),
        (SITES, "water temperature", ["wtr_tmp_c"]),
        (SITES, "installed capacity", ["inst_cap_mw"]),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_a_column_is_known_by_what_people_call_it(columns: Columns, said: str, meant: list[str]) -> None:
    table, _ = make_table("data.rows", None, "", columns, [])
    assert columns_called((table,), name_words(said)) == meant


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (TRACTS, "percent"), (TRACTS, "total"), (TRACTS, "home town"), (TRACTS, "medium"),
        (TRACTS, "life insurance"), (CLAIMS, "paid leave"), (CLAIMS, "closet"), (CLAIMS, "content"), (CLAIMS, "statue"),
        (LEVEES, "length of stay"), (LEVEES, "constant"), (SAMPLES, "dog"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_a_word_that_only_resembles_a_column_is_none(columns: Columns, said: str) -> None:
    table, _ = make_table("data.rows", None, "", columns, [])
    assert columns_called((table,), name_words(said)) == []


@pytest.mark.parametrize("columns", [TRACTS, CLAIMS, LEVEES, SAMPLES, SITES], ids=lambda each: each[0][0])
def test_no_column_that_words_mean_is_passed_over(columns: Columns, monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = make_table("data.rows", None, "", columns, [])
    known = [name_words(f"{name} {comment}") for name, _, comment in columns]
    others = name_words(
        "the of at night kind rate amount percent household health professional shortage in built"
    )
    longer = dict.fromkeys(pair for own in known for pair in permutations((*own, *others), 2))
    longer |= dict.fromkeys(own[at : at + 4] for own in known for at in range(len(own) - 3))
    compared = {words: columns_called((table,), words) for words in longer}
    monkeypatch.setattr(ComparedColumns, "candidates", lambda each, _: each.all)
    table, _ = make_table("data.rows", None, "", columns, [])  # what was found for the other one is kept
    assert {words: columns_called((table,), words) for words in longer} == compared
