"""The trigger that grants the roles a new table does not announce its own grant, which names no table: every server
looked at all tables then.
"""

from __future__ import annotations

from alembic import op

revision = "0019"
down_revision = "0018"
additive = True

_OWN_GRANT = "IF current_setting('geoagent.granting', true) = 'on' THEN RETURN; END IF;"
_FUNCTION = """
CREATE OR REPLACE FUNCTION geoagent.on_ddl() RETURNS event_trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed record;
BEGIN
    {own_grant}
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
            {before_grant}
            EXECUTE format('GRANT SELECT ON %I.%I TO %I, %I', changed.nspname, changed.relname,
                geoagent.role_name('reader'), geoagent.role_name('writer'));
            {after_grant}
        END IF;
    END LOOP;
    PERFORM pg_notify('geoagent_ddl', left(coalesce(command.object_identity, ''), 1000))
    FROM pg_event_trigger_ddl_commands() AS command
    WHERE coalesce(command.schema_name, '') NOT IN ('geoagent', 'pg_temp');
EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'GeoAgent was not told of this change: %', SQLERRM;
END
$$
"""


def upgrade() -> None:
    # A fault in here ends the block, which takes the setting back, too.
    op.execute(
        _FUNCTION.format(
            own_grant=_OWN_GRANT,
            before_grant="PERFORM set_config('geoagent.granting', 'on', true);",
            after_grant="PERFORM set_config('geoagent.granting', '', true);",
        )
    )


def downgrade() -> None:
    op.execute(_FUNCTION.format(own_grant="", before_grant="", after_grant=""))
