-- Numbers that move when a mark of `catalog_marks.sql` does, at the cost of a few look-ups: rows written to the system
-- catalogues, and for tables without statistics ($1, oids) rows inserted and times analysed. Sessions report them
-- seconds after their commit. NULL where PostgreSQL does not count.
SELECT CASE WHEN current_setting('track_counts')::boolean THEN ARRAY[
    (
        SELECT sum(pg_stat_get_tuples_inserted(c) + pg_stat_get_tuples_updated(c) + pg_stat_get_tuples_deleted(c))
        FROM unnest(CAST(ARRAY[
            'pg_class', 'pg_attribute', 'pg_description', 'pg_index', 'pg_statistic', 'pg_namespace', 'pg_depend',
            'pg_authid', 'pg_auth_members'
        ] AS regclass[])) AS c
    ),
    (
        SELECT coalesce(
            sum(pg_stat_get_tuples_inserted(t) + pg_stat_get_analyze_count(t) + pg_stat_get_autoanalyze_count(t)), 0
        )
        FROM unnest(CAST($1 AS oid[])) AS t
    )
]::bigint[] END AS counters
