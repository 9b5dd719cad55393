-- Everything readable in the exposed schemas, one row a table, with its columns and the planner's statistics of them.
-- Run as the reader, so that what it may not read is not there. $1: schemas.
-- The line that ends in `-- only` stands when only the tables of $2 (oids) are wanted.
WITH RECURSIVE domains AS (
    SELECT oid AS domain, typbasetype AS base, typtypmod AS modifier FROM pg_type WHERE typtype = 'd'
    UNION ALL
    SELECT d.domain, t.typbasetype, t.typtypmod
    FROM domains d JOIN pg_type t ON t.oid = d.base AND t.typtype = 'd'
),
relations AS (
    SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples, c.relpages,
        has_table_privilege(c.oid, 'SELECT') AS whole,
        -- Analyses store their results as the writing role; other tables in `analysis` belong to people.
        n.nspname = 'analysis' AND pg_get_userbyid(c.relowner) = regexp_replace(current_user, 'reader$', 'writer')
            AND current_user ~ 'reader$' AS is_result,
        -- An upload that is not shared is still the loading role's.
        n.nspname = 'data' AND pg_get_userbyid(c.relowner) = regexp_replace(current_user, 'reader$', 'loader')
            AND current_user ~ 'reader$' AS is_private
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
        AND n.nspname = ANY (CAST($1 AS text[])) AND n.nspname <> 'geoagent'
        AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
        AND NOT EXISTS (
            SELECT FROM pg_depend e
            WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e'
        )
        AND c.oid = ANY (CAST($2 AS oid[])) -- only
),
-- Measuring these would wait for the transactions that lock them.
locked AS MATERIALIZED (
    SELECT relation FROM pg_locks WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT
    r.oid::bigint AS oid, r.nspname AS schema_name, r.relname AS name, r.relkind::text AS relkind,
    CASE
        WHEN lake.facts IS NOT NULL THEN (lake.facts ->> 'rows')::float8
        WHEN r.relkind = 'p' AND r.reltuples < 0 THEN (
            SELECT coalesce(sum(greatest(part.reltuples, pg_stat_get_live_tuples(part.oid), 0)), 0)
            FROM pg_partition_tree(r.oid) tree JOIN pg_class part ON part.oid = tree.relid WHERE tree.isleaf
        )
        WHEN r.reltuples < 0 THEN pg_stat_get_live_tuples(r.oid)
        ELSE r.reltuples
    END::bigint AS row_estimate,
    r.reltuples >= 0 AND r.relkind <> 'v' AS analyzed,
    CASE WHEN r.relkind IN ('r', 'm') AND r.oid NOT IN (SELECT relation FROM locked)
        THEN pg_relation_size(r.oid) = 0 ELSE false END AS empty,
    remark.description AS comment, r.is_result, r.is_private,
    attributes.columns,
    identity.columns AS key,
    links.found AS links,
    lake.facts AS lake
FROM relations r
LEFT JOIN pg_description remark
    ON remark.objoid = r.oid AND remark.classoid = 'pg_class'::regclass AND remark.objsubid = 0
CROSS JOIN LATERAL (
    SELECT json_agg(json_build_object(
        'name', a.attname,
        'type', format_type(coalesce(d.base, a.atttypid), coalesce(d.modifier, a.atttypmod)),
        'typtype', t.typtype,
        'nullable', NOT a.attnotnull, 'comment', said.description,
        'samples', s.samples, 'spread', s.spread, 'minimum', s.minimum, 'maximum', s.maximum
    ) ORDER BY a.attnum) AS columns
    FROM pg_attribute a
    LEFT JOIN LATERAL (
        SELECT base, modifier FROM domains JOIN pg_type b ON b.oid = base AND b.typtype <> 'd'
        WHERE domain = a.atttypid
    ) d ON true
    JOIN pg_type t ON t.oid = coalesce(d.base, a.atttypid)
    LEFT JOIN pg_description said
        ON said.objoid = r.oid AND said.classoid = 'pg_class'::regclass AND said.objsubid = a.attnum
    LEFT JOIN LATERAL (
        SELECT
            common[1:8] AS samples,
            ARRAY[
                histogram[1], histogram[1 + width / 5], histogram[1 + 2 * width / 5], histogram[1 + 3 * width / 5],
                histogram[1 + 4 * width / 5], histogram[width]
            ] AS spread,
            -- Without a histogram there is at most one value beside the common ones, and no telling which.
            CASE
                WHEN histogram IS NULL AND NOT all_common THEN NULL
                WHEN number AND common IS NULL THEN histogram[1]
                WHEN number THEN (SELECT min(value::numeric)::text FROM unnest(common || histogram[1]) value)
                WHEN instant THEN (SELECT min(value COLLATE "C") FROM unnest(common || histogram[1]) value)
            END AS minimum,
            CASE
                WHEN histogram IS NULL AND NOT all_common THEN NULL
                WHEN number AND common IS NULL THEN histogram[width]
                WHEN number THEN (SELECT max(value::numeric)::text FROM unnest(common || histogram[width]) value)
                WHEN instant THEN (SELECT max(value COLLATE "C") FROM unnest(common || histogram[width]) value)
            END AS maximum
        FROM (
            SELECT most_common_vals::text::text[] AS common, histogram_bounds::text::text[] AS histogram,
                array_length(histogram_bounds::text::text[], 1) AS width,
                coalesce((SELECT sum(frequency) FROM unnest(most_common_freqs) frequency), 0) + null_frac > 0.9999
                    AS all_common,
                t.typname IN ('int2', 'int4', 'int8', 'float4', 'float8', 'numeric') AS number,
                t.typname IN ('date', 'timestamp', 'timestamptz') AS instant
            FROM pg_stats
            WHERE schemaname = r.nspname AND tablename = r.relname AND attname = a.attname
                AND t.typcategory IN ('N', 'S', 'D', 'B', 'E')
            ORDER BY inherited DESC LIMIT 1
        ) found
    ) s ON true
    WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND (r.whole OR has_column_privilege(r.oid, a.attnum, 'SELECT'))
) attributes
LEFT JOIN LATERAL (
    SELECT array_agg(a.attname::text ORDER BY place.position) AS columns
    FROM (
        SELECT i.indexrelid, i.indkey::smallint[] AS numbers, i.indnkeyatts AS width FROM pg_index i
        WHERE i.indrelid = r.oid AND i.indisunique AND i.indisvalid AND i.indimmediate
            AND i.indpred IS NULL AND i.indexprs IS NULL
            AND NOT EXISTS (
                SELECT FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS part (number, position)
                JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = part.number
                WHERE part.position <= i.indnkeyatts AND (
                    NOT a.attnotnull OR NOT (r.whole OR has_column_privilege(r.oid, a.attnum, 'SELECT'))
                )
            )
        ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid LIMIT 1
    ) chosen
    CROSS JOIN LATERAL unnest(chosen.numbers) WITH ORDINALITY AS place (number, position)
    JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = place.number
    WHERE place.position <= chosen.width
) identity ON true
LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object(
        'column', a.attname, 'schema', n.nspname, 'table', t.relname, 'other', o.attname
    ) ORDER BY l.oid) AS found
    FROM pg_constraint l
    JOIN pg_class t ON t.oid = l.confrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = l.conrelid AND a.attnum = l.conkey[1]
    JOIN pg_attribute o ON o.attrelid = l.confrelid AND o.attnum = l.confkey[1]
    WHERE l.conrelid = r.oid AND l.contype = 'f' AND l.convalidated AND array_length(l.conkey, 1) = 1
        AND NOT t.relispartition AND n.nspname = ANY (CAST($1 AS text[])) AND has_schema_privilege(n.oid, 'USAGE')
        AND (r.whole OR has_column_privilege(r.oid, a.attnum, 'SELECT'))
        AND has_column_privilege(t.oid, o.attnum, 'SELECT')
) links ON true
LEFT JOIN LATERAL (
    SELECT json_build_object(
        'rows', d.rows, 'sample_rows', d.sample_rows, 'files', d.files, 'bytes', d.bytes, 'version', d.version,
        'bounds', d.bounds, 'ranges', d.ranges
    ) AS facts
    FROM geoagent_lake.dataset d WHERE d.relation = r.oid
) lake ON true
WHERE attributes.columns IS NOT NULL
