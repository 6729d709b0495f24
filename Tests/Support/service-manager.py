"""A small service manager for tests: at its own socket it speaks D-Bus as systemd does at /run/systemd/private, as far as
waymark-waker asks, and starts real processes, each in the control group of its service.

    service-manager.py SOCKET UNITS

UNITS is a file with a JSON object: for each service its command, its control group's folder, its environment, and the file
that receives its output. It writes
a line for each start: the time in seconds, the service, and the process's number.
"""

import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

MANAGER = "org.freedesktop.systemd1.Manager"
ROOT = "/org/freedesktop/systemd1"
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = range(1, 9)


class Writer:
    """Values in the format of D-Bus, little-endian."""

    def __init__(self):
        self.bytes = bytearray()

    def align(self, size):
        self.bytes += bytes(-len(self.bytes) % size)

    def number(self, code, value):
        self.align(struct.calcsize(code))
        self.bytes += struct.pack("<" + code, value)

    def text(self, value):
        self.number("I", len(value.encode()))
        self.bytes += value.encode() + b"\0"

    def signature(self, value):
        self.bytes += bytes([len(value)]) + value.encode() + b"\0"

    def array(self, alignment, fill):
        self.number("I", 0)
        place = len(self.bytes) - 4
        self.align(alignment)
        start = len(self.bytes)
        fill()
        self.bytes[place:place + 4] = struct.pack("<I", len(self.bytes) - start)

    def value(self, kind, value):
        if kind in ("s", "o"):
            self.text(value)
        elif kind == "g":
            self.signature(value)
        elif kind == "u":
            self.number("I", value)
        elif kind == "t":
            self.number("Q", value)
        elif kind == "v":
            self.signature(value[0])
            self.value(*value)
        elif kind == "as":
            self.array(4, lambda: [self.text(each) for each in value])
        elif kind == "a{sv}":
            self.array(8, lambda: [self.entry(*each) for each in value.items()])

    def entry(self, name, value):
        self.align(8)
        self.text(name)
        self.value("v", value)

    def field(self, code, kind, value):
        self.align(8)
        self.bytes.append(code)
        self.value("v", (kind, value))


class Reader:
    """Strings and the fields of a header in the format of D-Bus, little-endian."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def align(self, size):
        self.at += -self.at % size

    def number(self):
        self.align(4)
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def text(self):
        size = self.number()
        self.at += size + 1
        return self.data[self.at - size - 1:self.at - 1].decode()

    def signature(self):
        size = self.data[self.at]
        self.at += size + 2
        return self.data[self.at - size - 1:self.at - 1].decode()

    def fields(self, end):
        found = {}
        while self.at < end:
            self.align(8)
            code = self.data[self.at]
            self.at += 1
            kind = self.signature()
            found[code] = self.number() if kind == "u" else self.signature() if kind == "g" else self.text()
        return found


class Unit:
    """A service."""

    def __init__(self, name, definition):
        self.name, self.definition = name, definition
        self.path = f"{ROOT}/unit/" + "".join(
            each if each.isalnum() else f"_{ord(each):02x}" for each in name)
        self.process, self.active, self.started = None, "inactive", 0

    def properties(self):
        return {"LoadState": ("s", "loaded"), "ActiveState": ("s", self.active), "FreezerState": ("s", self.freezer()),
                "UnitFileState": ("s", "static"), "InactiveExitTimestampMonotonic": ("t", self.started),
                "ConditionTimestampMonotonic": ("t", self.started)}

    def freezer(self):
        with open(f"{self.definition['group']}/cgroup.freeze", encoding="ascii") as file:
            return "frozen" if file.read().strip() == "1" else "running"

    def thaw(self):
        with open(f"{self.definition['group']}/cgroup.freeze", "w", encoding="ascii") as file:
            file.write("0")

    def start(self):
        group = self.definition["group"]

        def enter():
            with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")

        with open(self.definition["output"], "ab") as output:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
                self.definition["command"], preexec_fn=enter, stdin=subprocess.DEVNULL, stdout=output,
                env={**os.environ, **self.definition["environment"]})
        self.active, self.started = "active", time.monotonic_ns() // 1000
        print(f"{time.time():.6f} {self.name} {self.process.pid}", flush=True)
        return os.pidfd_open(self.process.pid)

    def ended(self):
        self.active = "inactive" if self.process.wait() == 0 else "failed"
        self.process = None


class Client:
    """A connection."""

    def __init__(self, connection):
        self.socket, self.data, self.is_authenticated, self.serial = connection, b"", False, 0

    def send(self, kind, fields, signature="", values=()):
        body = Writer()
        for each, value in zip(kinds(signature), values):
            body.value(each, value)
        self.serial += 1
        message = Writer()
        message.bytes += b"l" + bytes([kind, 1, 1])
        message.number("I", len(body.bytes))
        message.number("I", self.serial)
        if signature:
            fields = [*fields, (SIGNATURE, "g", signature)]
        message.array(8, lambda: [message.field(*each) for each in fields])
        message.align(8)
        try:
            self.socket.sendall(bytes(message.bytes + body.bytes))
        except OSError:
            pass  # Its end is noticed when it is read.

    def authenticate(self):
        """Handles the lines of the authentication, and returns whether it is over."""
        self.data = self.data.lstrip(b"\0")
        while b"\r\n" in self.data:
            line, self.data = self.data.split(b"\r\n", 1)
            words = line.split()
            if words[0] == b"BEGIN":
                self.is_authenticated = True
                return
            if words[0] == b"AUTH" and len(words) < 3:
                answer = b"DATA"
            elif words[0] == b"NEGOTIATE_UNIX_FD":
                answer = b"AGREE_UNIX_FD"
            else:
                answer = b"OK 0123456789abcdef0123456789abcdef"
            self.socket.sendall(answer + b"\r\n")

    def calls(self):
        """The calls that were received completely: number, fields, body."""
        if not self.is_authenticated:
            self.authenticate()
        while self.is_authenticated and len(self.data) >= 16:
            size, serial, length = struct.unpack_from("<III", self.data, 4)
            start = 16 + length + -length % 8
            if len(self.data) < start + size:
                break
            message, self.data = self.data[:start + size], self.data[start + size:]
            if message[1] == CALL:
                yield serial, Reader(message, 16).fields(16 + length), Reader(message[start:])


def kinds(signature):
    """The complete types of a signature."""
    while signature:
        length = 5 if signature.startswith("a{sv}") else 2 if signature[0] == "a" else 1
        yield signature[:length]
        signature = signature[length:]


class Manager:
    """The manager, its services and its clients."""

    def __init__(self, path, units):
        self.units = {name: Unit(name, definition) for name, definition in units.items()}
        self.listener = socket.socket(socket.AF_UNIX)
        # The socket has its name when it accepts connections.
        self.listener.bind(f"{path}.new")
        self.listener.listen()
        os.rename(f"{path}.new", path)
        self.clients, self.running, self.jobs = {}, {}, 0

    def signal(self, path, interface, member, signature, values):
        fields = [(PATH, "o", path), (INTERFACE, "s", interface), (MEMBER, "s", member)]
        for client in self.clients.values():
            if client.is_authenticated:
                client.send(SIGNAL, fields, signature, values)

    def changed(self, unit):
        self.signal(unit.path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                    ("org.freedesktop.systemd1.Unit", unit.properties(), []))

    def start(self, unit):
        """Starts a service as a job that is over at once, and returns the job's path."""
        self.jobs += 1
        job = (self.jobs, f"{ROOT}/job/{self.jobs}", unit.name)
        self.signal(ROOT, MANAGER, "JobNew", "uos", job)
        if not unit.process:
            self.running[unit.start()] = unit
            self.changed(unit)
        self.signal(ROOT, MANAGER, "JobRemoved", "uoss", (*job, "done"))
        return job[1]

    def answer(self, fields, body):
        """The signature and the values of the reply to a call, or the name of an error."""
        member = fields.get(MEMBER)
        if member == "GetAll":
            unit = next((each for each in self.units.values() if each.path == fields[PATH]), None)
            return ("a{sv}", [unit.properties()]) if unit else "org.freedesktop.DBus.Error.UnknownObject"
        if member == "Get":
            body.text()
            if body.text() == "SystemState":
                return "v", [("s", "running")]
            return "org.freedesktop.DBus.Error.UnknownObject"
        if member not in ("LoadUnit", "StartUnit", "ThawUnit"):
            return "org.freedesktop.DBus.Error.UnknownMethod"
        unit = self.units.get(body.text())
        if not unit:
            return "org.freedesktop.systemd1.NoSuchUnit"
        if member == "LoadUnit":
            return "o", [unit.path]
        if member == "StartUnit":
            return "o", [self.start(unit)]
        unit.thaw()
        self.changed(unit)
        return "", []

    def read(self, client):
        try:
            data = client.socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            del self.clients[client.socket.fileno()]
            client.socket.close()
            return
        client.data += data
        for serial, fields, body in client.calls():
            answer = self.answer(fields, body)
            reply = [(REPLY_SERIAL, "u", serial)]
            if isinstance(answer, str):
                client.send(ERROR, [*reply, (ERROR_NAME, "s", answer)], "s", [answer])
            else:
                client.send(RETURN, reply, *answer)

    def run(self):
        print("listening", flush=True)
        while True:
            descriptors = [self.listener.fileno(), *self.clients, *self.running]
            for each in select.select(descriptors, [], [])[0]:
                if each == self.listener.fileno():
                    connection, _ = self.listener.accept()
                    self.clients[connection.fileno()] = Client(connection)
                elif each in self.running:
                    unit = self.running.pop(each)
                    os.close(each)
                    unit.ended()
                    self.changed(unit)
                elif each in self.clients:
                    self.read(self.clients[each])

    def end(self):
        for unit in self.running.values():
            unit.process.kill()


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        manager = Manager(sys.argv[1], json.load(file))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        manager.run()
    finally:
        manager.end()


main()
