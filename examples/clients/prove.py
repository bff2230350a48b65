#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has assayd prove one Groth16 job and writes proof.json and public.json; docs/clients.md says how to generate assay/v1.
    prove.py ADDRESS CIRCUIT WITNESS.wtns      ADDRESS: HOST:PORT or unix:///PATH
ASSAY_TOKEN: the daemon's token, ASSAY_CA: a PEM file; with either of them TLS is spoken."""
import os
import sys

import grpc
from assay.v1 import engine_pb2, engine_pb2_grpc

address, circuit, witness = sys.argv[1:]
token, authorities = os.environ.get("ASSAY_TOKEN"), os.environ.get("ASSAY_CA")
large = [("grpc.max_send_message_length", 128 << 20), ("grpc.max_receive_message_length", 128 << 20)]


def connect():
    if not token and not authorities:
        return grpc.insecure_channel(address, large)
    pem = None
    if authorities:
        with open(authorities, "rb") as f:
            pem = f.read()
    credentials = grpc.ssl_channel_credentials(pem)
    if token:
        credentials = grpc.composite_channel_credentials(credentials, grpc.access_token_call_credentials(token))
    return grpc.secure_channel(address, credentials, large)


with connect() as channel:
    engine = engine_pb2_grpc.EngineStub(channel)
    with open(witness, "rb") as f:
        request = engine_pb2.SubmitGroth16Request(circuit=circuit, witness=[f.read()])
    try:
        job = engine.SubmitGroth16(request)
        for event in engine.Watch(engine_pb2.WatchRequest(job_id=job.job_id)):
            print(engine_pb2.JobEvent.State.Name(event.state), event.stage, f"{event.done:.0%}", file=sys.stderr)
    except grpc.RpcError as e:
        sys.exit(f"{e.code().name}: {e.details()}")
if event.state != engine_pb2.JobEvent.COMPLETED:
    sys.exit(event.error_message)
for name, parts in ("proof.json", event.result.proof), ("public.json", event.result.public_values):
    with open(name, "wb") as f:
        f.write(parts[0])
