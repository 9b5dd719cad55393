"""Lake tables: datasets of Parquet files that stay where they are, registered as tables.

`paths` decides which files may be read, `dataset` reads their metadata, `sample` picks rows for the table that
represents the dataset in PostGIS, `register` makes that table, and `store` keeps what is known of each dataset."""
