"""A server with TLS on loopback: reports that it listens, then replies to every request with the client's identity.

tls-server.py CERTIFICATE KEY PORT [AUTHORITY [HIGHEST [BEHIND]]]: with AUTHORITY it requires a client certificate by it; HIGHEST is
the highest version of TLS that it supports, 1.1, 1.2 or 1.3; with BEHIND it passes all data to that
port of loopback instead of replying. An argument "-" counts as omitted.
"""
import http.server
import select
import socket
import socketserver
import ssl
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        certificate = self.connection.getpeercert() or {}
        names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
        body = f"{self.connection.version()} {' '.join(names) or 'nobody'}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_):
        pass


class Passage(socketserver.BaseRequestHandler):
    """Passes on the data in both directions."""

    def handle(self):
        near = self.request
        near.do_handshake()
        with socket.create_connection(("127.0.0.1", behind)) as far:
            while True:
                ready = [near] if near.pending() else select.select([near, far], [], [])[0]
                for one in ready:
                    data = one.recv(65536)
                    if not data:
                        return
                    (far if one is near else near).sendall(data)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


arguments = [None if argument == "-" else argument for argument in sys.argv[1:]]
certificate, key, port, authority, highest, behind = (arguments + [None] * 3)[:6]
behind = int(behind) if behind else None
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
if highest == "1.1":
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1_1
if highest:
    context.maximum_version = getattr(ssl.TLSVersion, "TLSv" + highest.replace(".", "_"))
context.load_cert_chain(certificate, key)
if authority:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority)
server = Server(("127.0.0.1", int(port)), Passage if behind else Handler)
# The handshake is made by each connection's own thread.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("listening", flush=True)
server.serve_forever()
