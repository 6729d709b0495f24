"""A server that accepts every OwnTracks message and appends it to a file before it answers."""

import http.server
import os
import sys

PORT, FILE = int(sys.argv[1]), sys.argv[2]


class Messages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        with open(FILE, "ab") as file:
            file.write(text + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_):
        """No line for each request: the file has everything."""


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Messages).serve_forever()
