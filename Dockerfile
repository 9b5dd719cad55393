# GeoAgent: the client is built with Node.js, the server runs with Python as a user without rights. The target `spark`
# also holds Apache Spark with Apache Sedona, for the profile of that name in docker-compose.yml (docs/spark.md).
# It needs a PostGIS, named by DATABASE_URL; docker-compose.yml brings one.

FROM node:22-bookworm-slim AS client
WORKDIR /build
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web/ ./
RUN npm run build

FROM python:3.11-slim-bookworm AS base
WORKDIR /app
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    HOST=0.0.0.0 PORT=8080
COPY requirements.lock ./
RUN pip install --no-deps --require-hashes -r requirements.lock
COPY agents/ agents/
COPY migrations/ migrations/
COPY server/ server/
RUN python -m compileall -q agents migrations server \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin geoagent \
    && mkdir /rows && chown 10001 /rows
COPY --from=client /build/dist/ web/dist/
USER 10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/readyz', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "server", "serve"]

FROM base AS spark
USER 0
RUN apt-get update && apt-get install --yes --no-install-recommends openjdk-17-jre-headless maven \
    && rm -rf /var/lib/apt/lists/*
COPY requirements-spark.lock ./
RUN pip install --no-deps --require-hashes -r requirements-spark.lock \
    && python -m server spark install --jars /opt/sedona && rm -rf /opt/sedona/maven
ENV SPARK_HOME=/usr/local/lib/python3.11/site-packages/pyspark GEOAGENT_SPARK_FOLDER=/rows
USER 10001

FROM base AS server
