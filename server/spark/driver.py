"""Spark's driver with a Spark Connect server on one address: `python driver.py HOST PORT`, for `server.spark.cluster`.

Spark Connect 3.5 has no setting for the address: its own server listens on every interface, without a password. So the
same service is put behind a gRPC server that is made here. Spark's settings are those of `PYSPARK_SUBMIT_ARGS`."""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession

MESSAGE_BYTES = 128 * 1024 * 1024
"""As Spark Connect has it by default."""


def serve(host: str, port: int) -> None:
    """Returns when the server ends, which it does with this process."""
    context = SparkSession.builder.getOrCreate().sparkContext
    jvm: Any = context._jvm
    address = jvm.java.net.InetSocketAddress(host, port)
    builder = jvm.org.sparkproject.connect.grpc.netty.NettyServerBuilder.forAddress(address)
    builder.maxInboundMessageSize(MESSAGE_BYTES)
    builder.addService(jvm.org.apache.spark.sql.connect.service.SparkConnectService(True))
    server = builder.build().start()
    print(f"Spark Connect listens at {host}:{port}", flush=True)
    server.awaitTermination()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
