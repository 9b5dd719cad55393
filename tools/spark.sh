#!/usr/bin/env bash
# Installs what the tests of Spark need: Java, Maven, the Python packages beside the test requirements, and the jars.
# Without them those tests are skipped, so a machine that cannot have them is told and goes on.
set -uo pipefail
venv=${1:-.venv}
cannot() {
  echo "Spark is not installed here ($1), so its tests will be skipped. Again: tools/spark.sh" >&2
  exit 0
}
command -v java >/dev/null || tools/apt.sh 'Java' openjdk-17-jre-headless || cannot 'no Java'
command -v mvn >/dev/null || tools/apt.sh 'Maven' maven || cannot 'no Maven'
timeout 400 tools/venv.sh "$venv" requirements-spark.lock || cannot 'the Python packages could not be installed'
timeout 300 "$venv/bin/python" -m server spark install >&2 || cannot 'the jars could not be fetched'
touch "$venv/installed-for-spark"
