"""PostgreSQL for the whole server: engines and lanes of connections, roles, migrations, outages."""
