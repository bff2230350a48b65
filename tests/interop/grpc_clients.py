# SPDX-License-Identifier: Apache-2.0
"""Foreign gRPC clients, made ready: Debian's grpcio, @grpc/grpc-js from npm, google.golang.org/grpc through the Go module proxy.
Each is a program client.py, client.cjs or client.go in a folder of its own."""
import os
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("ASSAY_BINARY_DIR", os.path.join(ROOT, "build"))
CACHE = os.path.join(BUILD, "interop", "grpc")
NPM = ["@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.0"]
GO = "google.golang.org/grpc@v1.81.1"


def attempt(*command, **more):
    """Whether a command that prepares a client went well."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **more)
    except (OSError, subprocess.TimeoutExpired) as e:
        print(f"not compared: {command[0]}: {e}")
        return False
    if run.returncode:
        print(f"not compared: {' '.join(command)}: {(run.stderr.strip().splitlines() or ['?'])[-1]}")
    return run.returncode == 0


def python_client(here):
    if attempt("/usr/bin/python3", "-c", "import grpc"):
        return ["/usr/bin/python3", os.path.join(here, "client.py")], None
    return None


def node_client(here):
    folder = os.path.join(CACHE, "node")
    if not os.path.isdir(os.path.join(folder, "node_modules", "@grpc", "grpc-js")):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as f:
            f.write('{"private": true}\n')
        if not attempt("npm", "install", "--silent", "--no-audit", "--no-fund", *NPM, cwd=folder):
            return None
    return ["node", os.path.join(here, "client.cjs"), os.path.join(ROOT, "proto")], folder


def go_client(here):
    folder, go = os.path.join(CACHE, "go", os.path.basename(here)), shutil.which("go") or "/usr/local/go/bin/go"
    program = os.path.join(folder, "client")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(here, "client.go"), folder)
    env = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    if not os.path.exists(os.path.join(folder, "go.mod")):
        if not attempt(go, "mod", "init", "client", cwd=folder, env=env) or not attempt(go, "get", GO, cwd=folder, env=env):
            shutil.rmtree(folder)
            return None
    if attempt(go, "build", "-o", program, "client.go", cwd=folder, env=env):
        return [program], None
    return None


def prepare(here, names):
    """{name: (command, folder to run it in)} of the clients that can be had, whose programs are in the folder `here`."""
    makers = {"python": python_client, "node": node_client, "go": go_client}
    clients = {name: makers[name](here) for name in names or makers}
    return {name: client for name, client in clients.items() if client}
