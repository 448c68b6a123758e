#!/usr/bin/env python3
"""Bakes a project with HTTP caches: nginx with and without TLS and a token, and servers that misbehave in every way (TAP).

    caches_http.py KILN_BAKE

All servers listen on the loopback interface. Without nginx or openssl, the cases that need them are skipped.
"""

import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

BAKE = str(pathlib.Path(sys.argv[1]).resolve())
SCHEMA = "kiln: 1\ntypes: {T: {struct: {n: u8, other: {type: ref<T>?}}, asset: true}}\n"
PROJECT = """kiln: 1
schemas: s.yaml
bundles:
  one: {sources: data/*.yaml, output: out/one.kiln, dangling: warn}
headers: {out/types.h: }
"""
OUTPUTS = ("out/one.kiln", "out/types.h")
TOKEN = "secret-token-0123456789"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")


class Skip(Exception):
    pass


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    pathlib.Path(path).write_text(text, encoding="utf-8")


def environment(env):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("KILN_CACHE") and not name.lower().endswith("_proxy")}
    return dict(kept, **env)


def run(*words, code=0, **env):
    """A program that waited for the server forever would run into this time limit."""
    # On a busy machine, a good server may need longer than the default time.
    wait = [] if "--cache-wait" in words else ["--cache-wait", "50000"]
    done = subprocess.run([BAKE, *words, *wait], capture_output=True, text=True, check=False, env=environment(env), timeout=100)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    assert TOKEN not in done.stdout + done.stderr
    return done.stderr


def project():
    write("s.yaml", SCHEMA)
    write("data/a.yaml", "T: {a: {n: 1, other: nobody}}\n")
    write("kiln.yaml", PROJECT)


def forget():
    for name in ("out", ".kiln"):
        shutil.rmtree(name, ignore_errors=True)


def contents():
    return [pathlib.Path(path).read_bytes() for path in OUTPUTS]


def clean_bake():
    forget()
    text = run()
    found = contents()
    forget()
    return found, text


def has_token(folder):
    return any(TOKEN.encode() in path.read_bytes() for path in pathlib.Path(folder).rglob("*")
               if path.is_file() and path.name != "nginx.conf" and path.name != "token")


# ---- nginx ----

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    """A server whose files are in `store`, and whose log has one line for each request."""

    def __init__(self, tls=False, token=False, limit="100m"):
        if not NGINX or (tls and not OPENSSL):
            raise Skip("nginx or openssl is missing")
        self.port, self.root = free_port(), pathlib.Path("server").resolve()
        shutil.rmtree(self.root, ignore_errors=True)
        self.store = self.root / "store"
        self.store.mkdir(parents=True)
        ssl = ""
        if tls:
            subprocess.run([OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                            "-keyout", self.root / "key.pem", "-out", self.root / "cert.pem"], check=True, capture_output=True)
            ssl = f"ssl_certificate {self.root}/cert.pem; ssl_certificate_key {self.root}/key.pem;"
        guard = f'if ($http_authorization != "Bearer {TOKEN}") {{ return 403; }}' if token else ""
        temporary = "".join(f"{name}_temp_path {self.root}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        write(self.root / "nginx.conf", f"""daemon off; master_process off; pid {self.root}/pid; error_log {self.root}/error.log;
events {{}}
http {{
    log_format line '$request_method $uri $status $connection'; access_log {self.root}/access.log line;
    {temporary}
    server {{
        listen 127.0.0.1:{self.port}{" ssl" if tls else ""}; {ssl}
        client_max_body_size {limit};
        location / {{ {guard} root {self.store}; dav_methods PUT; create_full_put_path on; }}
    }}
}}
""")
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([NGINX, "-p", self.root, "-c", self.root / "nginx.conf", "-e", self.root / "error.log"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        """The requests since the last call: (method, path, status, connection)."""
        log = self.root / "access.log"
        # A request is logged after its answer was sent.
        time.sleep(0.05)
        lines = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
        log.write_text("", encoding="utf-8")
        return lines

    def objects(self):
        return sorted(path for path in self.store.rglob("*") if path.is_file())


def results_travel_through_nginx():
    project()
    expected, clean = clean_bake()
    with Nginx() as server:
        assert "warning: the cache" not in run("--cache-url", server.url) and contents() == expected
        seen = server.requests()
        assert seen and {method for method, *_ in seen} == {"GET", "HEAD", "PUT"}, seen
        assert all(re.fullmatch(r"/(ac|cas)/[0-9a-f]{32}", path) for _, path, *_ in seen), seen
        assert all(int(status) in ((200, 404) if method in ("GET", "HEAD") else (201, 204)) for method, _, status, _ in seen), seen
        # One connection serves all requests.
        assert len({connection for *_, connection in seen}) == 1, seen
        forget()
        text = run("--cache-url", server.url + "/")
        assert text.count(f"from the cache {server.url}\n") == 2 and contents() == expected, text
        seen = server.requests()
        assert {method for method, *_ in seen} == {"GET"} and len({connection for *_, connection in seen}) == 1, seen
        kept = [line for line in clean.splitlines() if not line.startswith("out/")]
        assert [line for line in text.splitlines() if not line.startswith("out/")] == kept
        # Write-through.
        forget()
        assert run("--cache", "near", "--cache-url", server.url).count(f"from the cache {server.url}\n") == 2
        forget()
        server.requests()
        assert run("--cache", "near", "--cache-url", server.url).count("from the cache near\n") == 2 and contents() == expected
        assert not server.requests()


def tls_and_a_token_protect_the_store():
    project()
    expected, _ = clean_bake()
    with Nginx(tls=True, token=True) as server:
        trust = {"KILN_CACHE_CA_FILE": str(server.root / "cert.pem")}
        text = run("--cache-url", server.url, KILN_CACHE_TOKEN=TOKEN)
        assert text.count("warning: the cache") == 1 and not server.objects() and contents() == expected, text
        forget()
        text = run("--cache-url", server.url, KILN_CACHE_TOKEN="wrong-token", **trust)
        assert text.count("warning: the cache") == 1 and "see KILN_CACHE_TOKEN" in text and "wrong-token" not in text, text
        assert not server.objects() and contents() == expected
        forget()
        text = run("--cache-url", server.url, KILN_CACHE_TOKEN=TOKEN, **trust)
        assert "warning: the cache" not in text and len(server.objects()) >= 6, text
        write("token", TOKEN + "\n")
        forget()
        text = run("--cache", "near", "--cache-url", server.url, KILN_CACHE_TOKEN_FILE="token", **trust)
        assert text.count(f"from the cache {server.url}\n") == 2 and contents() == expected, text
        write("kiln.yaml", PROJECT + f"cache: {{url: '{server.url}'}}\n")
        forget()
        trust["KILN_CACHE_TOKEN_HOST"] = "127.0.0.1"
        text = run(KILN_CACHE_TOKEN=TOKEN, **trust)
        assert text.count(f"from the cache {server.url}\n") == 2, text
        text = run("-v", "--force", KILN_CACHE_TOKEN=TOKEN, **trust)
        server.process.terminate()
        server.process.wait()
        assert not has_token(".")


def a_read_only_run_sends_only_gets():
    project()
    with Nginx() as server:
        run("--cache-url", server.url, "--cache-read-only")
        assert {method for method, *_ in server.requests()} == {"GET"}
        forget()
        run("--cache-url", server.url)
        server.requests()
        forget()
        assert "from the cache" in run(KILN_CACHE_URL=server.url, KILN_CACHE_READ_ONLY="1")
        assert {method for method, *_ in server.requests()} == {"GET"}


def damaged_objects_in_nginx_are_repaired():
    project()
    expected, _ = clean_bake()
    with Nginx() as server:
        run("--cache-url", server.url)
        dice = random.Random("damage")
        for path in server.objects():
            good = path.read_bytes()
            path.write_bytes(dice.choice((b"", good[:-1], good + b"x", bytes([good[-1] ^ 1]) * len(good))))
            forget()
            text = run("--cache-url", server.url)
            assert text.count("is damaged") == 1 and contents() == expected and path.read_bytes() == good, (path, text)
        path.unlink()
        forget()
        text = run("--cache-url", server.url)
        assert "warning: the cache" not in text and contents() == expected and path.read_bytes() == good, text


def a_full_store_is_one_warning():
    project()
    expected, _ = clean_bake()
    with Nginx(limit="100") as server:
        text = run("--cache-url", server.url)
        assert text.count("warning: the cache") == 1 and "PUT with status 413" in text and contents() == expected, text


def memory_of(*words):
    """Runs kiln-bake; returns the KiB of memory that it needed."""
    probe = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2, stderr=subprocess.DEVNULL); " \
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    env = environment({})
    # Memory that malloc fills is used.
    env.pop("MALLOC_PERTURB_", None)
    return int(subprocess.run([sys.executable, "-c", probe, BAKE, *words], capture_output=True, text=True, check=True, env=env).stdout)


def large_outputs_need_little_memory():
    with Nginx() as server:
        write("s.yaml", "kiln: 1\ntypes: {T: {struct: {p: payload}, asset: true}}\n")
        write("a.yaml", "T: {a: {p: !file a.bin}}\n")
        write("kiln.yaml", "kiln: 1\nschemas: s.yaml\nbundles: {one: {sources: a.yaml, output: one.kiln}}\n")
        with open("a.bin", "wb") as stream:
            stream.truncate(30 << 20)
        words = ("-q", "--cache-url", server.url, "--cache-wait", "50000")
        cold = memory_of(*words)
        expected = pathlib.Path("one.kiln").read_bytes()
        assert len(server.objects()) == 4
        forget()
        os.unlink("one.kiln")
        server.requests()
        warm = memory_of(*words)
        assert {method for method, *_ in server.requests()} == {"GET"} and pathlib.Path("one.kiln").read_bytes() == expected
        print(f"# memory in KiB: {cold}, {warm}")
        # A sanitizer needs far more memory.
        assert max(cold, warm) < 34 << 10 or memory_of("--version") > 12 << 10, (cold, warm)


# ---- servers that misbehave ----

class Server:
    """Calls `answer(connection, request, server)` for each request. The request is the text before the empty line."""

    def __init__(self, answer):
        self.answer, self.seen, self.is_open = answer, [], True
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(20)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while self.is_open:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                data = b""
                while True:
                    while b"\r\n\r\n" not in data:
                        more = connection.recv(65536)
                        if not more:
                            return
                        data += more
                    head, data = data.split(b"\r\n\r\n", 1)
                    self.seen.append(head.decode("latin-1"))
                    self.answer(connection, head.decode("latin-1"), self)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_open = False
        self.listener.close()


def wait_for_the_end(connection):
    while connection.recv(65536):
        pass


def send(text):
    return lambda connection, *_: connection.sendall(text if isinstance(text, bytes) else text.encode())


def close(connection, *_):
    connection.close()


def never(connection, *_):
    wait_for_the_end(connection)


def send_and_wait(text):
    def answer(connection, *_):
        connection.sendall(text)
        wait_for_the_end(connection)
    return answer


def endless(before, part):
    def answer(connection, *_):
        connection.sendall(before)
        while True:
            connection.sendall(part)
    return answer


def dripping(before, part):
    def answer(connection, *_):
        connection.sendall(before)
        while True:
            time.sleep(0.02)
            connection.sendall(part)
    return answer


OK = b"HTTP/1.1 200 OK\r\n"
BEHAVIOURS = [
    ("closes each connection", close),
    ("never answers", never),
    ("sends half of a status line", send_and_wait(b"HTTP/1.")),
    ("sends no HTTP", send_and_wait(b"SSH-2.0-x\r\n")),
    ("sends zeros forever", endless(b"", b"\0" * 65536)),
    ("sends headers forever", endless(OK, b"X-Header: " + b"x" * 1000 + b"\r\n")),
    ("drips headers", dripping(OK, b"X: y\r\n")),
    ("sends a body forever", endless(OK + b"\r\n", b"x" * 65536)),
    ("sends chunks forever", endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10\r\n0123456789abcdef\r\n" * 100)),
    ("drips a body", dripping(OK + b"Content-Length: 1000\r\n\r\n", b"x")),
    ("promises more than it sends", send_and_wait(OK + b"Content-Length: 100\r\n\r\nshort")),
    ("promises too much", send_and_wait(OK + b"Content-Length: 99999999999999\r\n\r\n" + b"x" * 100)),
    ("promises less than nothing", send_and_wait(OK + b"Content-Length: -5\r\n\r\nx")),
    ("sends malformed chunks", send_and_wait(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nxx")),
    ("sends unknown encodings", send(OK + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")),
    ("sends an empty body", send(OK + b"Content-Length: 0\r\n\r\n")),
    ("sends a page", send(OK + b"Content-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>")),
    ("answers with an error", send("HTTP/1.1 500 Broken\r\nContent-Length: 3\r\n\r\nabc")),
    ("answers with a long error", endless(b"HTTP/1.1 404 Not Found\r\n\r\n", b"x" * 65536)),
    ("needs a password", send("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")),
    ("answers with 204", send("HTTP/1.1 204 None\r\n\r\n")),
    ("answers with 206", send("HTTP/1.1 206 Part\r\nContent-Length: 3\r\n\r\nabc")),
    ("answers with 100 forever", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n")),
    ("upgrades the protocol", send_and_wait(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")),
    ("redirects to itself", send("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")),
    ("redirects to a file", send("HTTP/1.1 301 Moved\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")),
]


def misbehaving_servers_are_one_warning():
    project()
    expected, _ = clean_bake()
    contacted = 0
    for name, answer in BEHAVIOURS:
        with Server(answer) as server:
            forget()
            text = run("--cache-url", server.url, "--cache-wait", "100", KILN_CACHE_TOKEN=TOKEN)
            assert contents() == expected, name
            assert text.count("warning: the cache") == 1 and server.url in text, (name, text)
            contacted += bool(server.seen)
    # On a busy machine, the time may be over before the first request.
    assert contacted > len(BEHAVIOURS) / 2, contacted


def redirects_do_not_get_the_token():
    project()
    expected, _ = clean_bake()
    with Server(send(OK + b"Content-Length: 0\r\n\r\n")) as other:
        answer = send(f"HTTP/1.1 307 Moved\r\nLocation: {other.url}/x\r\nContent-Length: 0\r\n\r\n")
        with Server(answer) as server:
            text = run("--cache-url", server.url, KILN_CACHE_TOKEN=TOKEN)
            assert text.count("with status 307") == 1 and contents() == expected, text
            assert any(f"Authorization: Bearer {TOKEN}" in request for request in server.seen)
            assert not other.seen


def only_the_host_of_the_user_gets_the_token():
    """Not a URL in somebody's project file, no other host than that of the variable, and no network without encryption."""
    forbidden = send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    host, http = "KILN_CACHE_TOKEN_HOST", "KILN_CACHE_TOKEN_HTTP"
    with Server(forbidden) as server, Server(forbidden) as proxy:
        here = server.url.removeprefix("http://")
        port = here.partition(":")[2]
        project()
        of_project, elsewhere = "to a URL of a project file", "to this host"
        rows = [("option", {}, None), ("variable", {}, None), ("project", {}, of_project),
                ("project", {host: "127.0.0.1"}, None), ("project", {host: here}, None), ("project", {host: "127.0.0.1:1"}, elsewhere),
                ("project", {host: "127.0.0.2"}, elsewhere), ("project", {host: "127.0.0.1.evil"}, elsewhere),
                ("project", {host: "127.0.0"}, elsewhere), ("option", {host: "cache.example"}, elsewhere),
                ("variable", {host: "cache.example:" + port}, elsewhere), ("option", {host: "127.0.0.1"}, None),
                # A proxy is not this machine.
                ("option", {"http_proxy": proxy.url, "all_proxy": proxy.url}, None)]
        for place, env, withheld in rows:
            write("kiln.yaml", PROJECT + (f"cache: {{url: '{server.url}'}}\n" if place == "project" else ""))
            words = ["--cache-url", server.url] if place == "option" else []
            more = {"KILN_CACHE_URL": server.url} if place == "variable" else {}
            forget()
            server.seen.clear()
            text = run(*words, KILN_CACHE_TOKEN=TOKEN, **more, **env)
            assert server.seen and not proxy.seen, (place, env)
            sent = [f"Authorization: Bearer {TOKEN}" in request for request in server.seen]
            assert all(sent) if withheld is None else not any(sent), (place, env, server.seen)
            assert f"the token is not sent {withheld}; see" in text if withheld else "; see KILN_CACHE_TOKEN\n" in text, text
        # The proxy sees what would be sent to other hosts.
        write("kiln.yaml", PROJECT)
        plain = "without https"
        for name, env, withheld in (("cache.example", {}, plain), ("CACHE.example:81/x", {host: "cache.example"}, plain),
                                    ("127.0.0.1.example", {}, plain), ("127.example", {}, plain), ("localhost.example", {http: "0"}, plain),
                                    ("cache.example", {http: "1"}, None), ("CACHE.example:81/x", {host: "cache.Example:81", http: "1"}, None),
                                    ("cache.example", {host: "cache.example:80", http: "1"}, None),
                                    ("cache.example", {host: "cache.example:443", http: "1"}, elsewhere)):
            forget()
            proxy.seen.clear()
            text = run("--cache-url", "http://" + name, KILN_CACHE_TOKEN=TOKEN, http_proxy=proxy.url, **env)
            sent = [f"Authorization: Bearer {TOKEN}" in request for request in proxy.seen]
            assert sent and all(sent) if withheld is None else sent and not any(sent), (name, env, proxy.seen)
            assert withheld is None or f"the token is not sent {withheld}; see" in text, text


def uploads_that_fail_are_one_warning():
    """The servers have nothing, and fail at a PUT."""
    project()
    expected, _ = clean_bake()
    for name, fail in (("close", close), ("never", never), ("full", send("HTTP/1.1 507 Full\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")),
                       ("method", send("HTTP/1.1 405 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))):
        def answer(connection, request, server, fail=fail):
            if request.startswith("PUT"):
                fail(connection, request, server)
                connection.close()
            else:
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        with Server(answer) as server:
            forget()
            text = run("--cache-url", server.url, "--cache-wait", "300")
            assert contents() == expected and text.count("warning: the cache") == 1, (name, text)


def absent_servers_are_one_warning():
    project()
    expected, _ = clean_bake()
    closed = f"http://127.0.0.1:{free_port()}"
    for url in (closed, "http://[::1]:9", closed.replace("http", "https"), "http://host.invalid", "http://127.0.0.1:99999", "http://"):
        forget()
        text = run("--cache-url", url, "--cache-wait", "300")
        assert contents() == expected and text.count("warning: the cache") == 1, (url, text)
        forget()
        assert "warning: the cache" not in run("-q", "--cache-url", url, "--cache-wait", "300") and contents() == expected


def wrong_tokens_are_usage_errors():
    project()
    for token in ("a b", "a\nb", "a\r\nX-Evil: 1", "ä", "x" * 9000):
        text = run("--cache-url", "http://127.0.0.1:9", code=2, KILN_CACHE_TOKEN=token)
        assert "the token in KILN_CACHE_TOKEN must have 1 to 8192 printable characters" in text and token not in text, text
    write("token", "\n")
    text = run("--cache-url", "http://127.0.0.1:9", code=2, KILN_CACHE_TOKEN_FILE="token")
    assert "the token in the file of KILN_CACHE_TOKEN_FILE" in text, text
    text = run("--cache-url", "http://127.0.0.1:9", code=2, KILN_CACHE_TOKEN_FILE="missing")
    assert "cannot read missing" in text, text


CASES = [
    results_travel_through_nginx,
    tls_and_a_token_protect_the_store,
    a_read_only_run_sends_only_gets,
    damaged_objects_in_nginx_are_repaired,
    a_full_store_is_one_warning,
    large_outputs_need_little_memory,
    misbehaving_servers_are_one_warning,
    redirects_do_not_get_the_token,
    only_the_host_of_the_user_gets_the_token,
    uploads_that_fail_are_one_warning,
    absent_servers_are_one_warning,
    wrong_tokens_are_usage_errors,
]


def main():
    failed = 0
    os.environ.pop("NO_COLOR", None)
    for number, case in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                case()
                print(f"ok {number} - {case.__name__}")
            except Skip as reason:
                print(f"ok {number} - {case.__name__} # SKIP {reason}")
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"not ok {number} - {case.__name__}")
                print("# " + f"{type(error).__name__}: {error}".replace("\n", "\n# "))
            os.chdir("/")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
