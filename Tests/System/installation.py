"""The package on a machine that has never had it."""

import json
import os
import re
import signal

from check import check
from expectation import eventually, expect


@check("apt installs the package with its dependencies")
def installs(scene):
    said = scene.install()
    found = re.search(r"(\d+) newly installed", said)
    expect(found is not None, "apt reports the number of new packages", said[-2000:])
    failed = scene.machine.ask("systemctl", "--failed", "--no-legend", "--plain")
    expect(not failed, "no unit has failed", failed)
    return f"{found[1]} packages"


@check("the service is enabled and gets ready")
def gets_ready(scene):
    scene.machine.run("systemctl", "enable", "--now", "waymark.socket", "waymark.service")
    scene.wait_until_ready()
    for unit in ("waymark.socket", "waymark.service"):
        enabled = scene.machine.ask("systemctl", "is-enabled", unit, check=False)
        expect(enabled == "enabled", f"{unit} is enabled", enabled)
    started = int(scene.property("ExecMainStartTimestampMonotonic"))
    ready = int(scene.property("ActiveEnterTimestampMonotonic"))
    return f"ready {(ready - started) / 1000:.0f} ms after it was started"


@check("operators get the status over the socket, and nobody else")
def shows_status(scene):
    status = scene.status()
    expect(status["processID"] == scene.process(), f"the process is {scene.process()}", status["processID"])
    refused = scene.machine.run("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "waymark", "status",
                                check=False)
    expect(refused.returncode == 4, "exit code 4 for nobody", f"{refused.returncode}: {refused.stdout}{refused.stderr}")
    return f"version {status['version']}"


@check("the Status line of systemctl status says that it runs, and nothing of positions")
def says_that_it_runs(scene):
    before = scene.property("StatusText")
    expect(before == "Running.", "Running.", before)
    shown = scene.machine.ask("systemctl", "status", "--no-pager", "waymark.service")
    expect(f'Status: "{before}"' in shown, f"“{before}” in systemctl status", shown)
    # Not even a command that waits for a position makes it say something else.
    watcher = scene.machine.start("waymark", "get", "--timeout", "20")
    try:
        eventually("the daemon knows of the need", lambda: scene.status()["receiver"]["state"] != "idle")
        after = scene.property("StatusText")
        expect(after == before, before, after)
    finally:
        os.killpg(watcher.pid, signal.SIGKILL)
        watcher.communicate()
    return f"“{after}”"


@check("the journal has the events' fields, and explanations where they help")
def journals(scene):
    lines = scene.machine.ask("journalctl", "--unit=waymark.service", "--output=json", "--no-pager").splitlines()
    entries = [json.loads(line) for line in lines]
    ours = [each for each in entries if each.get("_COMM", "").startswith("waymark")]
    expect(ours, "entries of the daemon's", entries)
    catalogued = {each["MESSAGE_ID"] for each in ours if "MESSAGE_ID" in each}
    expect(catalogued, "entries with a MESSAGE_ID", ours[-1])
    known = scene.machine.ask("journalctl", "--list-catalog", "--no-pager")
    missing = [each for each in catalogued if each not in known]
    expect(not missing, "an entry of the catalog for every MESSAGE_ID", missing)
    explained = scene.machine.ask("journalctl", "--unit=waymark.service", "--catalog", "--no-pager")
    expect("░░" in explained, "explanations with -x", explained[-1000:])
    return f"{len(ours)} entries, {len(catalogued)} kinds, all explained"


@check("the services' exposure is not above its limits")
def is_closed(scene):
    scores = {}
    for unit, most in (("waymark.service", 0.5), ("waymark-upload@home.service", 1.1), ("waymark-sync.service", 1.1)):
        said = scene.machine.ask("systemd-analyze", "security", "--no-pager", unit).splitlines()[-1]
        scores[unit] = float(re.search(r"([\d.]+) [A-Z]+", said)[1])
        expect(scores[unit] <= most, f"at most {most} for {unit}", said)
    return ", ".join(f"{unit} {score}" for unit, score in scores.items())


@check("manual pages and completion are in the expected folders")
def is_documented(scene):
    pages = ["man1/waymark.1", "man1/waymark-uploads.1", "man1/waymark-get.1", "man8/waymarkd.8", "man5/waymark.conf.5",
             "man8/waymark-upload.8", "man5/waymark.app.5"]
    missing = [page for page in pages if not (scene.machine.exists(f"/usr/share/man/{page}.gz"))]
    expect(not missing, "all manual pages", f"without {', '.join(missing)}")
    completions = ["bash-completion/completions/waymark", "fish/vendor_completions.d/waymark.fish",
                   "zsh/vendor-completions/_waymark"]
    missing = [each for each in completions if not scene.machine.exists(f"/usr/share/{each}")]
    expect(not missing, "completion for all shells", f"without {', '.join(missing)}")
    return f"{len(pages)} pages, {len(completions)} shells"
