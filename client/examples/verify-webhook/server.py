"""Receives webhooks and drops what the service did not send."""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from device_monitoring import WebhookVerificationError, verify_webhook

SECRET = os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        # As it was received: JSON that was parsed and written again has another signature.
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(dict(self.headers), body, SECRET)
        except WebhookVerificationError:
            self._answer(401)
            return
        print(event["type"], self.headers["webhook-id"], flush=True)
        self._answer(204)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"listening on {server.server_port}", flush=True)
server.serve_forever()
