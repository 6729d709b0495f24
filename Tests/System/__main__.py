"""Runs the checks: see Scripts/check-system, which boots nothing itself but makes the room where this may."""

import argparse
import importlib
import itertools
import os
import subprocess
import sys
import time
import traceback

from check import CHECKS
from expectation import Failure
from layers import Layers

# In the order in which a machine meets it all; each is a group with a machine of its own.
GROUPS = ("installation", "boot", "state", "faults", "restarts", "configuration", "sockets", "network", "simulated",
          "regions", "protection", "waking", "sleeping", "doors", "logins", "uploads", "hub", "sync", "upgrade")
for each in GROUPS:
    importlib.import_module(each)


def chosen(options):
    checks = [each for each in CHECKS if not (options.short and each.is_long)]
    if options.names:
        checks = [each for each in checks
                  if any(name in each.name or name == each.group for name in options.names)]
    return checks


def run(check, scene):
    """Runs a check: prints its figure, or the failed expectation; returns whether it passed."""
    began = time.monotonic()
    try:
        figure = check.function(scene)
    except Exception as error:  # pylint: disable=broad-except
        reason = str(error) if isinstance(error, Failure) else traceback.format_exc()
        print(f"FAILED  {check.group}: {check.name} ({time.monotonic() - began:.1f} s)\n{indented(reason)}")
        print(indented(f"-- the journal of the service:\n{scene.journal()}"), flush=True)
        return False
    print(f"ok      {check.group}: {check.name}: {figure} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


def indented(text):
    return "\n".join(f"        {line}" for line in text.splitlines())


def main():
    parser = argparse.ArgumentParser(prog="check-system", description=__doc__)
    parser.add_argument("--root")
    parser.add_argument("--package")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    checks = chosen(options)
    if options.list:
        for check in checks:
            print(f"{check.group}: {check.name}{' (long)' if check.is_long else ''}")
        return 0
    if not checks:
        print("check-system: no check has this name; --list prints the names", file=sys.stderr)
        return 2
    began = time.monotonic()
    layers = Layers(options.root, os.path.abspath(options.package), options.short)
    if options.shell:
        scene = layers.scene("installed")
        subprocess.run(scene.machine.command(["bash", "-l"]), check=False)
        scene.machine.end()
        return 0
    failed = []
    for group, members in itertools.groupby(checks, lambda each: each.group):
        members = list(members)
        try:
            scene = layers.scene("fresh" if group == "installation" else "installed")
        except Failure as failure:
            print(f"FAILED  {group}: there is no machine for it\n{indented(str(failure))}", flush=True)
            failed += members
            continue
        try:
            failed += [each for each in members if not run(each, scene)]
        finally:
            scene.end()
    print(f"check-system: {len(checks) - len(failed)} of {len(checks)} checks hold, "
          f"in {time.monotonic() - began:.0f} s")
    for each in failed:
        print(f"check-system: failed: {each.group}: {each.name}")
    return 1 if failed else 0


sys.exit(main())
