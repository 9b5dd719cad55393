-- The SQL that a person would write for each case of cases.py, by its name. The last statement is a SELECT, which is stored
-- with a key, a spatial index and statistics; a geometry in it is called geom. What stands before prepares it.

-- filter: forest worth over 500
SELECT * FROM data.parcels WHERE landuse = 'forest' AND value > 500

-- filter: points in a small box
SELECT * FROM data.points WHERE ST_Intersects(geom, ST_MakeEnvelope(9.002, 48.751, 9.02, 48.765, 4326))

-- calculate: two columns
SELECT id, owner, landuse, value, block, value / (block + 1) AS ratio, geom FROM data.parcels

-- columns: a text, a rank of each group and a renamed column
SELECT id, owner AS holder, landuse, value, block, upper(landuse) AS use,
rank() OVER (PARTITION BY landuse ORDER BY value) AS place, geom FROM data.parcels

-- summarise: 8 groups, mean and median
SELECT landuse, count(*), avg(value), percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median FROM data.parcels
GROUP BY landuse ORDER BY landuse

-- sort: by value, ranked
SELECT *, rank() OVER (ORDER BY value DESC NULLS LAST) FROM data.parcels ORDER BY value DESC NULLS LAST

-- top: 100 of all
SELECT * FROM data.parcels WHERE value IS NOT NULL ORDER BY value DESC, id LIMIT 100

-- sample: 1,000 of all, repeatable
SELECT * FROM data.parcels ORDER BY hash_record_extended(row(id), 0), id LIMIT 1000

-- join_by_attribute: one to one
SELECT p.*, r.rating FROM data.parcels p LEFT JOIN data.ratings r ON r.parcel = p.id

-- merge: points and sites
SELECT id, kind, value, track, lon, lat, NULL AS name, 'data.points' AS from_table, geom FROM data.points UNION ALL
SELECT id, NULL, NULL, NULL, NULL, NULL, name, 'data.sites', geom FROM data.sites

-- measure: area and perimeter
SELECT id, owner, landuse, value, block, ST_Area(geom::geography) AS area_m2, ST_Perimeter(geom::geography) AS
perimeter_m, geom FROM data.parcels

-- centroid: on the spheroid
SELECT id, owner, landuse, value, block, ST_Centroid(geom::geography)::geometry AS geom FROM data.parcels

-- envelope: upright
SELECT id, owner, landuse, value, block, ST_Envelope(geom) AS geom FROM data.parcels

-- hull: convex, of each track
SELECT track, count(*), ST_ConvexHull(ST_Collect(geom)) AS geom FROM data.points GROUP BY track

-- buffer: points by 50 m
SELECT id, kind, value, track, lon, lat, ST_Multi(ST_Buffer(geom::geography, 50, 16)::geometry) AS geom FROM
data.points

-- buffer: sites by 100 m, united
SELECT count(*), ST_Multi(ST_Union(ST_Buffer(geom::geography, 100, 16)::geometry)) AS geom FROM data.sites

-- smooth: lines, twice
SELECT id, value, ST_ChaikinSmoothing(geom, 2, true) AS geom FROM data.lines

-- densify: lines to 20 m
SELECT id, value, ST_Segmentize(geom::geography, 20)::geometry AS geom FROM data.lines

-- make_valid: all valid
SELECT id, owner, landuse, value, block, CASE WHEN NOT ST_IsValid(geom) THEN ST_IsValidReason(geom) END AS wrong, CASE
WHEN ST_IsValid(geom) THEN geom ELSE ST_MakeValid(geom) END AS geom FROM data.parcels

-- explode: of one part each
SELECT id, owner, landuse, value, block, d.path[1] AS part, d.geom FROM data.parcels, ST_Dump(parcels.geom) AS d

-- collect: by block
SELECT block, count(*), ST_Multi(ST_Collect(geom)) AS geom FROM data.parcels GROUP BY block

-- dissolve: by block
SELECT block, count(*), ST_Union(geom) AS geom FROM data.parcels GROUP BY block

-- reproject: to UTM
SELECT id, owner, landuse, value, block, ST_Transform(geom, 25832) AS geom FROM data.parcels

-- points_from_columns: longitude and latitude
SELECT id, kind, value, track, lon, lat, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS geom FROM data.points

-- lines_from_points: by track
SELECT track, count(*), min(id), max(id), ST_Length(ST_MakeLine(geom ORDER BY id)::geography) AS length_m,
ST_MakeLine(geom ORDER BY id) AS geom FROM data.points GROUP BY track HAVING count(*) > 1

-- select_by_location: points in half of the zones
SELECT * FROM data.points p WHERE EXISTS (SELECT FROM data.mask m WHERE ST_Intersects(p.geom, m.geom))

-- select_by_location: parcels that hold one of the stops
SELECT * FROM data.parcels WHERE id IN (SELECT p.id FROM data.stops s JOIN data.parcels p ON ST_Contains(p.geom, s.geom))

-- select_by_location: points within 50 m of a site
CREATE TEMP TABLE near AS SELECT geom::geography AS geog FROM data.sites;
CREATE INDEX ON near USING gist (geog);
ANALYZE near;
SELECT * FROM data.points p WHERE EXISTS (SELECT FROM near WHERE ST_DWithin(p.geom::geography, near.geog, 50))

-- spatial_join: zones with figures of points
SELECT z.id, z.people, f.count, f.mean, z.geom FROM data.zones z, LATERAL (SELECT count(*), avg(p.value) AS mean FROM
data.points p WHERE ST_Intersects(z.geom, p.geom)) AS f

-- spatial_join: points with their zone
SELECT p.id, p.kind, p.value, p.track, p.lon, p.lat, z.id AS id_2, z.people, p.geom FROM data.points p JOIN data.zones
z ON ST_Intersects(p.geom, z.geom)

-- nearest: the nearest site of each point
CREATE TEMP TABLE near AS SELECT id, name, geom::geography AS geog FROM data.sites;
CREATE INDEX ON near USING gist (geog);
ANALYZE near;
SELECT p.id, p.kind, p.value, p.track, p.lon, p.lat, s.id AS near_id, s.name, s.away, p.geom FROM data.points p,
LATERAL (SELECT near.id, near.name, ST_Distance(p.geom::geography, near.geog) AS away FROM near ORDER BY
p.geom::geography <-> near.geog LIMIT 1) AS s

-- intersection: parcels and zones
SELECT p.id, p.owner, p.landuse, p.value, p.block, z.id AS id_2, z.people,
ST_Multi(ST_CollectionExtract(ST_Intersection(p.geom, z.geom), 3)) AS geom FROM data.parcels p JOIN data.zones z ON
ST_Intersects(p.geom, z.geom)

-- union: parcels and zones
SELECT * FROM (SELECT p.id, p.owner, p.landuse, p.value, p.block, z.id AS id_2, z.people,
ST_Multi(ST_CollectionExtract(ST_Intersection(p.geom, z.geom), 3)) AS geom FROM data.parcels p JOIN data.zones z ON
ST_Intersects(p.geom, z.geom) UNION ALL SELECT p.id, p.owner, p.landuse, p.value, p.block, NULL, NULL,
ST_Multi(ST_CollectionExtract(coalesce(ST_Difference(p.geom, z.taken), p.geom), 3)) FROM data.parcels p, LATERAL (SELECT
ST_Union(z.geom) AS taken FROM data.zones z WHERE ST_Intersects(p.geom, z.geom)) AS z UNION ALL SELECT NULL, NULL, NULL,
NULL, NULL, z.id, z.people, ST_Multi(ST_CollectionExtract(coalesce(ST_Difference(z.geom, p.taken), z.geom), 3)) FROM
data.zones z, LATERAL (SELECT ST_Union(p.geom) AS taken FROM data.parcels p WHERE ST_Intersects(p.geom, z.geom)) AS p) AS
pieces WHERE NOT ST_IsEmpty(geom)

-- identity: parcels and half of the zones
SELECT * FROM (SELECT p.id, p.owner, p.landuse, p.value, p.block, m.id AS id_2, m.people,
ST_Multi(ST_CollectionExtract(ST_Intersection(p.geom, m.geom), 3)) AS geom FROM data.parcels p JOIN data.mask m ON
ST_Intersects(p.geom, m.geom) UNION ALL SELECT p.id, p.owner, p.landuse, p.value, p.block, NULL, NULL,
ST_Multi(ST_CollectionExtract(coalesce(ST_Difference(p.geom, m.taken), p.geom), 3)) FROM data.parcels p, LATERAL (SELECT
ST_Union(m.geom) AS taken FROM data.mask m WHERE ST_Intersects(p.geom, m.geom)) AS m) AS pieces WHERE NOT
ST_IsEmpty(geom)

-- clip: parcels to half of the zones
SELECT p.id, p.owner, p.landuse, p.value, p.block, ST_Multi(ST_CollectionExtract(ST_Intersection(p.geom,
ST_Union(m.geom)), 3)) AS geom FROM data.parcels p JOIN data.mask m ON ST_Intersects(p.geom, m.geom) GROUP BY p.id

-- difference: parcels less half of the zones
SELECT * FROM (SELECT p.id, p.owner, p.landuse, p.value, p.block,
ST_Multi(ST_CollectionExtract(coalesce(ST_Difference(p.geom, m.taken), p.geom), 3)) AS geom FROM data.parcels p,
LATERAL (SELECT ST_Union(m.geom) AS taken FROM data.mask m WHERE ST_Intersects(p.geom, m.geom)) AS m) AS rest WHERE
NOT ST_IsEmpty(geom)

-- symmetric_difference: zones and half of them
WITH u AS (SELECT (SELECT ST_Union(geom) FROM data.zones) AS a, (SELECT ST_Union(geom) FROM data.mask) AS b) SELECT *
FROM (SELECT ST_Difference(a, b) AS geom FROM u UNION ALL SELECT ST_Difference(b, a) FROM u) AS s WHERE NOT
ST_IsEmpty(geom)

-- weighted_overlap: values of parcels to zones
SELECT z.id, z.people, w.shared, z.geom FROM data.zones z, LATERAL (SELECT sum(p.value *
ST_Area(ST_Intersection(z.geom, p.geom)::geography) / ST_Area(p.geom::geography)) AS shared FROM data.parcels p WHERE
ST_Intersects(z.geom, p.geom)) AS w

-- distance_matrix: of up to 1,000 stops
SELECT a.name AS origin, b.name AS destination, ST_Distance(a.geom::geography, b.geom::geography) AS distance_m,
ST_MakeLine(a.geom, b.geom) AS geom FROM data.stops a, data.stops b

-- voronoi: a tenth of the points
CREATE TEMP TABLE cells AS SELECT (ST_Dump(ST_VoronoiPolygons(ST_Collect(ST_Transform(geom, 25832))))).geom AS cell
FROM data.tenth;
CREATE INDEX ON cells USING gist (cell);
ANALYZE cells;
SELECT t.*, ST_Transform(c.cell, 4326) AS shape FROM data.tenth t JOIN cells c ON ST_Intersects(ST_Transform(t.geom,
25832), c.cell)

-- delaunay: a tenth of the points
SELECT ST_Transform(d.geom, 4326) AS geom, ST_Area(ST_Transform(d.geom, 4326)::geography) AS area_m2 FROM (SELECT
ST_Collect(ST_Transform(geom, 25832)) AS a FROM data.tenth) AS t, ST_Dump(ST_DelaunayTriangles(t.a)) AS d

-- cluster: DBSCAN, 12 m, 4 points
SELECT *, ST_ClusterDBSCAN(ST_Transform(geom, 25832), 12, 4) OVER () AS cluster FROM data.points

-- cluster: k-means, 20, a tenth
SELECT *, ST_ClusterKMeans(ST_Transform(ST_Force3D(geom), 4978), 20) OVER () AS cluster FROM data.tenth

-- simplify: lines by 10 m
SELECT id, value, ST_Transform(ST_SimplifyPreserveTopology(ST_Transform(geom, 25832), 10), 4326) AS geom FROM
data.lines

-- grid: squares of 250 m
SELECT n AS count, ST_Transform(ST_MakeEnvelope(i * 250, j * 250, i * 250 + 250, j * 250 + 250, 3035), 4326) AS geom
FROM (SELECT floor(ST_X(flat) / 250) AS i, floor(ST_Y(flat) / 250) AS j, count(*) AS n FROM (SELECT ST_Transform(geom,
3035) AS flat FROM data.points) AS p GROUP BY i, j) AS cells
