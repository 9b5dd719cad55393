-- Questions that honest models ask in SQL, over the sample data; blank lines part them. Each must run, and give what
-- PostgreSQL itself gives for it; where that is known without the data it stands above, as JSON.

SELECT count(*) FROM data.cities

select COUNT(*) As N from Cities;

SELECT "name", population FROM "data"."countries" ORDER BY population DESC NULLS LAST, name LIMIT 10

SELECT country, sum(population) AS people FROM cities GROUP BY country ORDER BY people DESC, country LIMIT 5

SELECT continent, count(*), avg(elevation_m)::numeric(10, 1) FROM airports GROUP BY 1 HAVING count(*) > 100 ORDER BY 1

SELECT name FROM countries WHERE name ILIKE '%land' AND population BETWEEN 1000000 AND 10000000 ORDER BY name

SELECT name FROM countries WHERE continent IN ('Europe', 'Asia') AND capital IS NOT NULL ORDER BY name LIMIT 5

SELECT DISTINCT continent FROM data.countries WHERE continent <> '' ORDER BY continent

SELECT DISTINCT ON (country) country, name, population FROM cities ORDER BY country, population DESC NULLS LAST, id
LIMIT 20

SELECT c.name, k.continent FROM cities AS c JOIN countries AS k ON k.iso_a2 = c.country_code ORDER BY c.population
DESC NULLS LAST, c.id LIMIT 5

SELECT data.countries.name FROM data.countries ORDER BY data.countries.area_km2 DESC NULLS LAST LIMIT 3

SELECT k.name, count(a.id) FROM countries k LEFT JOIN airports a ON ST_Contains(k.geom, a.geom) GROUP BY k.id, k.name
ORDER BY 2 DESC, 1 LIMIT 5

SELECT round((ST_Area(geom::geography) / 1e6)::numeric) AS km2 FROM countries WHERE iso_a3 = 'FRA'

SELECT name, ST_Distance(geom::geography, ST_SetSRID(ST_MakePoint(2.35, 48.85), 4326)::geography) / 1000 AS km FROM
airports ORDER BY geom <-> ST_SetSRID(ST_MakePoint(2.35, 48.85), 4326) LIMIT 3

SELECT c.name, near.name, near.km FROM cities c CROSS JOIN LATERAL (SELECT a.name,
round((ST_Distance(a.geom::geography, c.geom::geography) / 1000)::numeric, 1) AS km FROM airports a ORDER BY a.geom
<-> c.geom LIMIT 1) AS near WHERE c.population > 10000000 ORDER BY c.name, c.id

SELECT count(*) FROM cities WHERE ST_DWithin(geom::geography, 'SRID=4326;POINT(13.4 52.5)'::geography, 100000)

WITH big AS (SELECT * FROM cities WHERE population > 5e6) SELECT country, count(*) FROM big GROUP BY country ORDER BY
2 DESC, 1

WITH a AS (SELECT continent, sum(population) AS p FROM countries GROUP BY continent), b AS (SELECT max(p) AS most FROM
a) SELECT a.continent FROM a, b WHERE a.p = b.most

WITH cities AS (SELECT * FROM data.airports WHERE elevation_m > 4000) SELECT count(*) FROM cities

WITH cities AS (SELECT * FROM cities WHERE population > 1000000) SELECT count(*) FROM cities

-- gives: [[5050]]
WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n) FROM t

SELECT name, rank() OVER (PARTITION BY continent ORDER BY population DESC NULLS LAST) AS place FROM countries ORDER BY
continent, place, name LIMIT 12

SELECT name, population, sum(population) OVER w, lag(name) OVER w FROM countries WHERE population > 1e8 WINDOW w AS
(ORDER BY population DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) ORDER BY population DESC

SELECT continent, percentile_cont(0.5) WITHIN GROUP (ORDER BY elevation_m), mode() WITHIN GROUP (ORDER BY country)
FROM airports GROUP BY continent ORDER BY continent

SELECT count(*) FILTER (WHERE elevation_m > 1000) AS high, count(*) FILTER (WHERE NOT elevation_m > 1000) AS low FROM
airports

SELECT string_agg(name, ', ' ORDER BY name) FROM countries WHERE continent = 'South America'

SELECT continent, country, count(*) FROM airports WHERE country_code IN ('DE', 'FR', 'US') GROUP BY ROLLUP (continent,
country) ORDER BY 1 NULLS LAST, 2 NULLS LAST

SELECT grouping(continent), continent, count(*) FROM airports GROUP BY GROUPING SETS ((continent), ()) ORDER BY 1, 2

SELECT CASE WHEN population > 1e8 THEN 'giant' WHEN population > 1e7 THEN 'big' ELSE 'small' END AS size, count(*)
FROM countries GROUP BY size ORDER BY size

SELECT width_bucket(elevation_m, 0, 5000, 5) AS class, count(*) FROM airports WHERE elevation_m IS NOT NULL GROUP BY
class ORDER BY class

SELECT name FROM cities WHERE name ~ '^San [A-M]' AND population IS NOT NULL ORDER BY population DESC, id LIMIT 5

SELECT name FROM countries WHERE population > (SELECT avg(population) FROM countries) ORDER BY name LIMIT 5

SELECT name FROM countries k WHERE NOT EXISTS (SELECT 1 FROM airports a WHERE a.country_code = k.iso_a2) ORDER BY name

SELECT name FROM countries WHERE population >= ALL (SELECT population FROM countries WHERE population IS NOT NULL)

(SELECT name FROM cities ORDER BY population DESC NULLS LAST, id LIMIT 2) UNION ALL (SELECT name FROM airports ORDER
BY elevation_m DESC NULLS LAST, id LIMIT 2)

SELECT country_code FROM airports EXCEPT SELECT country_code FROM cities ORDER BY 1

SELECT g, count(c.id) FROM generate_series(0, 50, 10) AS g LEFT JOIN cities c ON ST_Y(c.geom) >= g AND ST_Y(c.geom) <
g + 10 GROUP BY g ORDER BY g

SELECT (ST_Dump(geom)).path[1], round(ST_Area((ST_Dump(geom)).geom)::numeric, 3) FROM countries WHERE iso_a3 = 'ITA'
ORDER BY 1

SELECT d.path[1] AS part, ST_NPoints(d.geom) FROM countries k, LATERAL ST_Dump(k.geom) AS d WHERE k.iso_a3 = 'GRC'
ORDER BY part

SELECT ST_XMin(e), ST_YMax(e) FROM (SELECT ST_Extent(geom) AS e FROM countries WHERE continent = 'Oceania') AS box

-- gives: [["POINT(20037508.3 0)"]]
SELECT ST_AsText(ST_Transform(ST_SetSRID(ST_MakePoint(180, 0), 4326), 3857), 1)

-- gives: [["ST_MultiPolygon", 4326, true]]
SELECT ST_GeometryType(geom), ST_SRID(geom), ST_IsValid(geom) FROM countries WHERE iso_a3 = 'DEU'

SELECT geom FROM cities WHERE name = 'Reykjavík'

-- gives: [["two", "1", "2"]]
SELECT to_jsonb(v) ->> 'b', jsonb_build_object('a', 1) -> 'a', '{"x": [1, 2]}'::jsonb #>> '{x,1}' FROM (VALUES (1,
'two')) AS v(a, b)

-- gives: [[2024, "2024-03-01 00:00:00", "2024-02-29 00:00:00", "01.03.2024", "3 days"]]
SELECT extract(year FROM date '2024-03-01'), date_trunc('month', timestamp '2024-03-15 10:00'), date '2024-03-01' -
interval '1 day', to_char(date '2024-03-01', 'DD.MM.YYYY'), make_interval(days => 3)

-- gives: [[1024, 3, 3, 3.5, 7, 4, "ab1", 4, true]]
SELECT 2 ^ 10, 7 / 2, 7 % 4, 7.0 / 2, -3 + 5 * 2, |/ 16, 'a' || 'b' || 1, 5 & 4, 1 = ANY(ARRAY[1, 2])

-- gives: [["bcd", 3, "a", "aXc", "É", "ab", "z", null, 3]]
SELECT substring('abcdef' FROM 2 FOR 3), position('c' IN 'abc'), trim(BOTH 'x' FROM 'xax'), overlay('abc' PLACING 'X'
FROM 2), upper('é'), left('abc', 2), coalesce(NULL, 'z'), nullif(1, 1), greatest(1, 3, 2)

-- gives: [["it's", "it's; DROP TABLE x", "-- no comment", "back\\slash", "ünï"]]
SELECT 'it''s', $$it's; DROP TABLE x$$, '-- no comment', 'back\slash', 'ünï' /* a comment */ -- and another

-- gives: [[true, true, true, false, true, true, true, true]]
SELECT NULL IS NULL, true AND NOT false, 1 IS DISTINCT FROM NULL, 'a' LIKE 'A', 'a' ILIKE 'A', 'ab' SIMILAR TO 'a_', 5
NOT BETWEEN 1 AND 3, 1 NOT IN (2, 3)

-- gives: [["x", 1], ["y", 2]]
SELECT u.v, u.i FROM unnest(ARRAY['x', 'y']) WITH ORDINALITY AS u(v, i)

-- gives: [[2]]
SELECT a.x FROM (SELECT 1 AS x UNION SELECT 2) AS a JOIN (VALUES (2), (3)) AS b(x) USING (x)

-- gives: [[1, "x", 3]]
SELECT 1 AS "a ""quoted"" Name", 'x' AS select_, 3 AS "c" ORDER BY "c"

SELECT ST_ClusterDBSCAN(geom, 2, 3) OVER () AS cluster, count(*) OVER () FROM airports WHERE country_code = 'IS' ORDER
BY 1 NULLS LAST, 2

SELECT continent FROM countries GROUP BY continent ORDER BY count(*) DESC, continent FETCH FIRST 2 ROWS ONLY

SELECT name FROM countries ORDER BY name LIMIT 3 OFFSET 10

SELECT ST_NPoints(ST_Buffer(geom, 1, 4)), ST_NPoints(ST_Buffer(geom::geography, 1000)::geometry),
ST_NPoints(ST_Buffer(geom, 1, 'quad_segs=2 endcap=square')) FROM cities WHERE name = 'Ulm'
