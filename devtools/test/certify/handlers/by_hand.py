# A webhook handler with Python's standard library, with one fault that FAULT names.
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from threading import Lock

fault = os.environ.get("FAULT", "")
secret = os.environ["WEBHOOK_SECRET"].encode()
seen = set()
effects = []
lock = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def respond(self, status, text=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.respond(200, str(len(effects)).encode())

    def one(self, name):
        values = self.headers.get_all(name) or [""]
        return values[0] if len(values) == 1 or fault == "first-header" else ""

    def is_authentic(self, raw):
        signature = self.one("X-Service-Signature")
        timestamp = self.one("X-Service-Timestamp")
        if not raw or not signature or not timestamp:
            return False
        if fault == "float-timestamp":
            try:
                seconds = float(timestamp)
            except ValueError:
                return False
        elif re.fullmatch("[1-9][0-9]{0,15}", timestamp):
            seconds = int(timestamp)
        else:
            return False
        if fault != "no-window" and abs(time.time() - seconds) > 300:
            return False
        signed = raw.decode("ascii", "replace").encode() if fault == "ascii" else raw
        expected = hmac.new(secret, signed + timestamp.encode(), hashlib.sha256).hexdigest()
        self.expected = expected
        return hmac.compare_digest(signature.encode(), expected.encode())

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_authentic(raw):
            self.respond(403, getattr(self, "expected", "").encode() if fault == "tells" else b"")
            return
        try:
            events = json.loads(raw)
        except ValueError:
            self.respond(400)
            return
        try:
            for event in events:
                with lock:
                    if event["id"] in seen and fault != "no-keys":
                        continue
                    if event["id"] == "always-fails":
                        raise RuntimeError("the database is down")
                    if event["event"] == "event.emitted":
                        effects.append(event["id"])
                    seen.add(event["id"])
        except RuntimeError:
            self.respond(500)
            return
        self.respond(200)


HTTPServer.request_queue_size = 512
server = (HTTPServer if fault == "one-thread" else ThreadingHTTPServer)(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
