"""The layers that machines boot from: a fresh Debian, and one with the package and the tools of the checks."""

import os
import subprocess

from machine import Machine
from scene import Scene

# In memory, removed with the mount namespace.
SCRATCH = "/run/machines"


class Layers:
    def __init__(self, root, package, is_short):
        self.package = package
        self.root = root
        self.is_short = is_short
        self.installed = None
        self.count = 0
        os.mkdir(SCRATCH)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2G,mode=755", "tmpfs", SCRATCH], check=True)

    def scene(self, kind):
        """A machine that has just booted, fresh or installed."""
        if kind == "installed" and self.installed is None:
            self.installed = self.install()
        layers = [self.root] if kind == "fresh" else [self.installed, self.root]
        return self.boot(layers)

    def boot(self, layers):
        self.count += 1
        scratch = f"{SCRATCH}/{self.count}"
        os.mkdir(scratch)
        machine = Machine(layers, scratch)
        machine.take(self.package, "waymark.deb")
        scene = Scene(machine, self.package, self.is_short)
        machine.boot()
        return scene

    def install(self):
        """The changes of an installation, as a layer."""
        scene = self.boot([self.root])
        scene.install()
        scene.furnish()
        scene.machine.power_off()
        return f"{scene.machine.scratch}/upper"
