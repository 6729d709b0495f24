"""Makes many apps that sleep, each with a manifest and a service of its own: naps.py COUNT

Each is authorized always, and requests once, from a process in the control group of its service, to be woken when the path is
back. All of that goes over the daemon's socket, so that it takes seconds."""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from varlink import Connection  # noqa: E402 pylint: disable=wrong-import-position

MANIFEST = """\
[App]
Name=Nap {number}
Unit=nap-{number}.service
WhenInUseUsageDescription=Sleeps until there is a network for number {number}.
AlwaysAndWhenInUseUsageDescription=Sleeps until there is a network for number {number}.

[Wake]
Unit=nap-{number}.service
For=path
"""


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def ask(method, parameters):
    """A call that has to succeed. It is repeated while the daemon has not read the manifest yet."""
    deadline = time.monotonic() + 60
    while True:
        connection = Connection()
        reply = connection.ask(method, parameters)
        connection.close()
        if "error" not in reply:
            return
        if time.monotonic() > deadline:
            sys.exit(f"{method} {parameters}: {reply}")
        time.sleep(0.2)


def request(number):
    """Calls as a process of the app's service."""
    group = f"/sys/fs/cgroup/system.slice/nap-{number}.service"
    os.mkdir(group)
    child = os.fork()
    if child == 0:
        write(f"{group}/cgroup.procs", "0")
        ask("io.waymark.Waking.Subscribe", {"cause": "path"})
        os._exit(0)
    _, status = os.waitpid(child, 0)
    os.rmdir(group)
    if status != 0:
        sys.exit(f"nap {number} could not request anything")


def main():
    count = int(sys.argv[1])
    for number in range(count):
        write(f"/etc/systemd/system/nap-{number}.service", "[Service]\nExecStart=/bin/true\n")
        write(f"/etc/waymark/apps/.nap-{number}", MANIFEST.format(number=number))
        os.rename(f"/etc/waymark/apps/.nap-{number}", f"/etc/waymark/apps/nap-{number}.app")
    subprocess.run(["systemctl", "daemon-reload"], check=True)
    for number in range(count):
        ask("io.waymark.Manage.Authorize", {"app": f"nap-{number}", "status": "always"})
    for number in range(count):
        request(number)


main()
