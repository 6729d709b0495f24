"""Uses the daemon as a foreign program does, with PyPI's unmodified varlink package.

client.py SOCKET POSITIONS: makes every kind of call, reads POSITIONS positions, prints the results, one JSON value a line.
"""

import json
import sys

import varlink


def say(what, value):
    print(json.dumps({"what": what, "value": value}), flush=True)


def refusal(call):
    """The name and the parameters of the error that a call gets."""
    try:
        call()
    except varlink.VarlinkError as error:
        parameters = error.parameters() or {}
        return {"error": error.error(), "parameters": parameters}
    raise AssertionError("no error")


def main(socket, positions):
    client = varlink.Client.new_with_address("unix:" + socket)
    # The calls that the package makes to every service, then the description of this one.
    say("usual", client.get_interfaces() and client.info)
    client.get_interface("org.varlink.service")
    with client.open("org.varlink.service") as service:
        about = service.GetInfo()
    say("info", about)
    for name in about["interfaces"]:
        # Parsed by the package, as every call below is checked against it.
        description = client.get_interface(name).description
        say("interface", {"name": name, "isText": description.startswith("#") or "interface" in description})

    with client.open("io.waymark.Manage") as manage:
        say("status", manage.Status()["status"])
    with client.open("io.waymark.Location") as location:
        say("authorization", location.GetAuthorization()["authorization"])
        say("position", location.GetPosition(timeout=20.0)["position"])
        say("refusal", refusal(lambda: location.GetPosition(timeout=-1.0)))
        say("unavailable", refusal(lambda: location.GetPosition(desiredAccuracy=0.001, timeout=0.1)))
        say("withoutMore", refusal(location.Monitor))
    with client.open("io.waymark.Location") as location:
        seen = 0
        for reply in location.Monitor(_more=True):
            say("update", reply["update"])
            seen += reply["update"].get("position") is not None
            if seen == positions:
                break
    with client.open("io.waymark.Reachability") as network:
        say("path", network.GetPath()["path"])
        say("target", network.GetTarget(host="127.0.0.1", port=9))
        say("report", network.ReportTarget(host="127.0.0.1", port=9, outcome="answered"))
        say("host", refusal(lambda: network.GetTarget(host="192.0.2.300")))
    for method, asked, key in (("MonitorPath", {}, "path"), ("MonitorTarget", {"host": "::1"}, "target")):
        with client.open("io.waymark.Reachability") as network:
            for reply in getattr(network, method)(_more=True, **asked):
                say(method, reply[key])
                break
    with client.open("io.waymark.Journal") as journal:
        say("note", journal.Note("a remark of a foreign program: ü \U0001f9ed \"quoted\"\n"))
        events = [event for reply in journal.Read(_more=True) for event in reply["events"]]
        say("events", events)
        say("page", journal.Read(after=0, limit=1)["events"])
        say("verification", journal.Verify()["verification"])
    with client.open("io.waymark.Manage") as manage:
        say("metrics", manage.Metrics()["text"])
        say("reload", manage.Reload())
    with client.open("io.waymark.Manage") as manage:
        for reply in manage.Monitor(_more=True):
            say("health", reply["status"]["health"])
            break


main(sys.argv[1], int(sys.argv[2]))
