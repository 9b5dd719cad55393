-- One row a readable table with a mark that changes when its entry in the registry would: its definition, columns,
-- comments, keys, references, rights, or the statistics that ANALYZE made. $1: schemas.
-- Cheap enough to be asked often; lines that end in `-- only` stand when only the tables of $2 (oids) are wanted.
WITH attributes AS (
    SELECT attrelid AS relation, sum(attnum * xmin::text::bigint) AS mark FROM pg_attribute WHERE attnum > 0
        AND attrelid = ANY (CAST($2 AS oid[])) -- only
    GROUP BY 1
),
remarks AS (
    SELECT objoid AS relation, sum((objsubid + 1) * xmin::text::bigint) AS mark
    FROM pg_description WHERE classoid = 'pg_class'::regclass
        AND objoid = ANY (CAST($2 AS oid[])) -- only
    GROUP BY 1
),
keys AS (
    SELECT indrelid AS relation, sum(xmin::text::bigint) AS mark FROM pg_index WHERE indisunique
        AND indrelid = ANY (CAST($2 AS oid[])) -- only
    GROUP BY 1
),
links AS (
    SELECT conrelid AS relation, sum(xmin::text::bigint) AS mark FROM pg_constraint WHERE contype = 'f'
        AND conrelid = ANY (CAST($2 AS oid[])) -- only
    GROUP BY 1
)
SELECT c.oid::bigint AS oid, concat_ws(
    ' ', n.nspname, c.xmin, c.reltuples, attributes.mark, remarks.mark, keys.mark, links.mark,
    pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid),
    CASE WHEN c.reltuples < 0 THEN pg_stat_get_tuples_inserted(c.oid) END
) AS mark
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN attributes ON attributes.relation = c.oid
LEFT JOIN remarks ON remarks.relation = c.oid
LEFT JOIN keys ON keys.relation = c.oid
LEFT JOIN links ON links.relation = c.oid
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
    AND c.oid = ANY (CAST($2 AS oid[])) -- only
    AND n.nspname = ANY (CAST($1 AS text[])) AND n.nspname <> 'geoagent'
    AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    AND NOT EXISTS (
        SELECT FROM pg_depend e
        WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e'
    )
