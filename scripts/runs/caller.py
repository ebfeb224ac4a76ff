"""A caller that is a bare socket: it knows when each event came, and it can leave."""
import http.client
import json
import socket
import time


class Call:
    """One request on a connection of its own, sent at once."""

    def __init__(self, port, body, headers=None, path="/v1/chat/completions"):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
        self.start = time.monotonic()
        self.connection.request("POST", path, json.dumps(body), {"content-type": "application/json", **(headers or {})})
        self.socket = self.connection.sock
        self.response = None

    def head(self):
        """Waits for the status; everything else follows it."""
        if self.response is None:
            self.response = self.connection.getresponse()
        return self.response.status

    def elapsed(self):
        """Seconds since the request was sent."""
        return time.monotonic() - self.start

    def events(self):
        """Each `data:` payload with the seconds at which it came, until the body ends."""
        self.head()
        while line := self.response.readline():
            if line.startswith(b"data:"):
                yield self.elapsed(), line[5:].strip().decode()

    def answer(self):
        """The whole body, as JSON where it is JSON."""
        self.head()
        body = self.response.read()
        try:
            return json.loads(body)
        except ValueError:
            return body.decode(errors="replace")

    def leave(self):
        """Closes the socket, as a caller does that lost interest; the instant of it."""
        self.socket.shutdown(socket.SHUT_RDWR)
        return time.monotonic()


def read_stream(call):
    """What a stream came to: times of first and last text, number of texts, error, whether it was marked done."""
    seen = {"first": None, "last": None, "texts": 0, "text": "", "error": None, "done": False}
    for at, data in call.events():
        if data == "[DONE]":
            seen["done"] = True
            continue
        event = json.loads(data)
        if event.get("error"):
            seen["error"] = event["error"]
        for choice in event.get("choices") or []:
            if text := choice.get("delta", {}).get("content"):
                seen["first"] = at if seen["first"] is None else seen["first"]
                seen["last"], seen["texts"] = at, seen["texts"] + 1
                seen["text"] += text
    seen["ended"] = call.elapsed()
    return seen


def get(port, path):
    """A GET's body as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer
