"""The map as a log: schemas, maps with their events, layers and turns, the secret, and the news of changed
tables.

Roles, grants and the event triggers depend on what the connecting user may do and on settings, so they are
brought up to date at every start by `server.database.roles`; the functions they need are made here.
"""

from __future__ import annotations

from alembic import op

revision = "0001"
down_revision = None

TABLES = [
    """
    CREATE TABLE geoagent.map (
        id text PRIMARY KEY,
        seq bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
    )
    """,
    "COMMENT ON TABLE geoagent.map IS 'A map; seq numbers its newest event. Its id is the right to it.'",
    """
    CREATE TABLE geoagent.event (
        map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
        seq bigint NOT NULL CHECK (seq > 0),
        type text NOT NULL,
        turn_id text,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        payload jsonb NOT NULL,
        PRIMARY KEY (map_id, seq)
    )
    """,
    "COMMENT ON TABLE geoagent.event IS 'Append-only: every fact about a map, numbered without gaps.'",
    "CREATE INDEX event_turn ON geoagent.event (turn_id) WHERE turn_id IS NOT NULL",
    # Any version of a layer that was ever announced is found by one index probe.
    """
    CREATE INDEX event_layer_version ON geoagent.event
        (map_id, (payload #>> '{layer,id}'), ((payload #>> '{layer,version}')::bigint))
        WHERE type IN ('layer_added', 'layer_updated')
    """,
    """
    CREATE TABLE geoagent.layer (
        map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
        layer_id text NOT NULL,
        document jsonb NOT NULL,
        PRIMARY KEY (map_id, layer_id)
    )
    """,
    "COMMENT ON TABLE geoagent.layer IS 'Projected from the events: the layers of each map as they are now.'",
    """
    CREATE TABLE geoagent.turn (
        id text PRIMARY KEY,
        map_id text NOT NULL REFERENCES geoagent.map (id) ON DELETE CASCADE,
        client_id text,
        text text NOT NULL,
        focus jsonb,
        status text NOT NULL DEFAULT 'queued'
            CHECK (status IN ('queued', 'running', 'done', 'cancelled', 'failed', 'interrupted')),
        server_id text,
        usage jsonb,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        finished_at timestamptz,
        position bigint GENERATED ALWAYS AS IDENTITY,
        UNIQUE (map_id, client_id)
    )
    """,
    "COMMENT ON TABLE geoagent.turn IS 'A user message and what became of it; run in order of position.'",
    "CREATE INDEX turn_waiting ON geoagent.turn (map_id, position) WHERE status IN ('queued', 'running')",
    # One turn at a time per map is a promise of the database, not only of the code.
    "CREATE UNIQUE INDEX turn_running ON geoagent.turn (map_id) WHERE status = 'running'",
    "CREATE TABLE geoagent.secret (name text PRIMARY KEY, value text NOT NULL)",
    "COMMENT ON TABLE geoagent.secret IS 'Only for the owner. Passwords of the other roles derive from it.'",
    "REVOKE ALL ON geoagent.secret FROM PUBLIC",
    """
    CREATE TABLE geoagent.info_note (
        id text PRIMARY KEY,
        title text NOT NULL,
        body text NOT NULL,
        tables text[] NOT NULL DEFAULT '{}',
        search tsvector GENERATED ALWAYS AS (
            setweight(to_tsvector('english', title), 'A') || to_tsvector('english', body)
        ) STORED
    )
    """,
    "COMMENT ON TABLE geoagent.info_note IS 'Markdown notes on the data: meaning of fields, units, caveats.'",
    "CREATE INDEX info_note_search ON geoagent.info_note USING gin (search)",
    "CREATE TABLE geoagent.exposed_schema (name text PRIMARY KEY)",
    "COMMENT ON TABLE geoagent.exposed_schema IS 'Whose tables the reader may read; written at every start.'",
]

FUNCTIONS = [
    # Role names are cluster-wide, so they carry the database's name; of a long one, a hash.
    """
    CREATE FUNCTION geoagent.role_name(kind text) RETURNS text LANGUAGE sql STABLE AS $$
        SELECT CASE
            WHEN octet_length(current_database()) <= 50 THEN current_database() || '_' || kind
            ELSE left(current_database(), 8) || '_' || md5(current_database()) || '_' || kind
        END
    $$
    """,
    # A fault in here must never break the DDL of the one that made the table: it becomes a warning.
    """
    CREATE FUNCTION geoagent.on_ddl() RETURNS event_trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        changed record;
    BEGIN
        FOR changed IN
            SELECT DISTINCT c.oid, n.nspname, c.relname, c.relkind, command.command_tag
            FROM pg_event_trigger_ddl_commands() AS command
            JOIN pg_class AS c ON command.classid = 'pg_class'::regclass AND c.oid = command.objid
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
                AND n.nspname IN (SELECT name FROM geoagent.exposed_schema)
        LOOP
            IF changed.command_tag LIKE 'CREATE%'
                OR changed.command_tag IN ('SELECT INTO', 'IMPORT FOREIGN SCHEMA')
            THEN
                EXECUTE format('GRANT SELECT ON %I.%I TO %I, %I', changed.nspname, changed.relname,
                    geoagent.role_name('reader'), geoagent.role_name('writer'));
            END IF;
        END LOOP;
        PERFORM pg_notify('geoagent_ddl', left(coalesce(command.object_identity, ''), 1000))
        FROM pg_event_trigger_ddl_commands() AS command
        WHERE coalesce(command.schema_name, '') NOT IN ('geoagent', 'pg_temp');
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'GeoAgent was not told of this change: %', SQLERRM;
    END
    $$
    """,
    """
    CREATE FUNCTION geoagent.on_drop() RETURNS event_trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        PERFORM pg_notify('geoagent_ddl', left(coalesce(gone.object_identity, ''), 1000))
        FROM pg_event_trigger_dropped_objects() AS gone
        WHERE gone.object_type IN
                ('table', 'view', 'materialized view', 'foreign table', 'table column', 'schema')
            AND NOT gone.is_temporary AND coalesce(gone.schema_name, '') <> 'geoagent';
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'GeoAgent was not told of this change: %', SQLERRM;
    END
    $$
    """,
]

REMOVE_ROLES = """
    DO $$
    DECLARE
        kind text;
    BEGIN
        FOREACH kind IN ARRAY ARRAY['reader', 'writer'] LOOP
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = geoagent.role_name(kind)) THEN
                EXECUTE format('REASSIGN OWNED BY %I TO CURRENT_USER', geoagent.role_name(kind));
                EXECUTE format('DROP OWNED BY %I', geoagent.role_name(kind));
                EXECUTE format('DROP ROLE %I', geoagent.role_name(kind));
            END IF;
        END LOOP;
    END
    $$
"""

DROP_SCHEMA_IF_EMPTY = """
    DO $$
    BEGIN
        DROP SCHEMA IF EXISTS {schema} RESTRICT;
    EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE NOTICE 'schema {schema} holds tables and is kept';
    END
    $$
"""


def upgrade() -> None:
    for extension in ("postgis", "pg_trgm", "unaccent"):
        # In public by name: a user called geoagent would else put them into the schema geoagent ("$user").
        op.execute(f"CREATE EXTENSION IF NOT EXISTS {extension} SCHEMA public")
    for schema, comment in (
        ("geoagent", "GeoAgent's own: maps, events, turns."),
        ("analysis", "Results of analyses."),
        ("data", "Sample data and uploads."),
    ):
        op.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        op.execute(f"COMMENT ON SCHEMA {schema} IS '{comment.replace(chr(39), chr(39) * 2)}'")
    for statement in (*TABLES, *FUNCTIONS):
        op.execute(statement)


def downgrade() -> None:
    """Take away all that is GeoAgent's. Tables in `data` and `analysis` are people's: with any, the schema
    stays.
    """
    op.execute("DROP EVENT TRIGGER IF EXISTS geoagent_ddl_end")
    op.execute("DROP EVENT TRIGGER IF EXISTS geoagent_ddl_drop")
    op.execute(REMOVE_ROLES)
    op.execute("DROP FUNCTION geoagent.on_drop, geoagent.on_ddl, geoagent.role_name")
    op.execute("DROP TABLE geoagent.exposed_schema, geoagent.info_note, geoagent.secret, geoagent.turn")
    op.execute("DROP TABLE geoagent.layer, geoagent.event, geoagent.map")
    for schema in ("analysis", "data"):
        op.execute(DROP_SCHEMA_IF_EMPTY.format(schema=schema))
