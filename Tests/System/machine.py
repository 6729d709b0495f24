"""A Debian 12 that a real systemd has booted, in systemd-nspawn."""

import os
import shlex
import shutil
import signal
import subprocess
import time

from expectation import Failure, eventually

# The timeout for booting and ending a machine, and for a single command, seconds.
PATIENCE = 60
# Where this folder is in the machine, and the folder that both sides write into.
TOOLS = "/usr/local/lib/waymark-tests"
EXCHANGE = "/exchange"
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
               "TERM": "dumb", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive", "SYSTEMD_PAGER": "cat"}
# The exit status of systemd-nspawn for a machine that is to be booted again; its man page, --keep-unit.
WANTS_REBOOT = 133
# All of a process's namespaces but the user's, which is the same one.
NAMESPACES = ("--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup")


class Machine:
    """Boots from layers that it does not change; its writes are in memory, survive reboots, and are removed by `discard`."""

    def __init__(self, layers, scratch):
        self.scratch = scratch
        for name in ("upper", "work", "tree", "exchange"):
            os.makedirs(f"{scratch}/{name}")
        subprocess.run(
            ["mount", "-t", "overlay", "-o",
             f"lowerdir={':'.join(layers)},upperdir={scratch}/upper,workdir={scratch}/work", "overlay", self.tree],
            check=True)
        self.process = None

    @property
    def tree(self):
        return f"{self.scratch}/tree"

    # Its life

    def boot(self):
        """Boots it, and returns the seconds until systemd reports that it is up."""
        began = time.monotonic()
        with open(f"{self.scratch}/console", "ab") as console:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", f"--directory={self.tree}", "--boot", "--machine=waymark-system",
                 "--register=no", "--keep-unit", "--private-network", "--console=pipe", "--resolv-conf=off",
                 "--timezone=off", "--link-journal=no", f"--bind-ro={os.path.dirname(__file__)}:{TOOLS}",
                 f"--bind={self.scratch}/exchange:{EXCHANGE}"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        self.wait_until_up()
        return time.monotonic() - began

    def leader(self):
        """The number of the machine's first process on the host; None where there is none at present."""
        status = self.process.poll()
        if status is not None:
            raise Failure("the machine runs", f"it ended with {status}:\n{self.console()}")
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as children:
            numbers = children.read().split()
        for number in numbers:
            try:
                with open(f"/proc/{number}/status", encoding="ascii") as file:
                    if any(line.split()[-1] == "1" for line in file if line.startswith("NSpid:")):
                        return int(number)
            except OSError:
                continue
        return None

    def wait_until_up(self):
        """Waits until systemd has started everything."""
        def is_up():
            leader = self.leader()
            if leader is None:
                return False
            state = self.run("systemctl", "is-system-running", check=False, leader=leader).stdout.strip()
            return state in ("running", "degraded")
        eventually("the machine is up", is_up, PATIENCE, or_show=self.console)

    def reboot(self):
        """Reboots it as a person does, and returns after how many seconds it is up again."""
        began = time.monotonic()
        self.run("systemctl", "reboot", check=False)
        status = self.process.wait(PATIENCE)
        if status != WANTS_REBOOT:
            raise Failure(f"the machine ends with {WANTS_REBOOT} to be booted again", f"{status}:\n{self.console()}")
        self.boot()
        return time.monotonic() - began

    def crash(self):
        """Ends every process in it at once, and boots it again: data that was not written to a file is lost."""
        began = time.monotonic()
        os.kill(self.leader(), signal.SIGKILL)
        self.process.wait(PATIENCE)
        self.boot()
        return time.monotonic() - began

    def power_off(self):
        """Shuts it down in order; its files stay."""
        self.run("systemctl", "poweroff", check=False)
        self.process.wait(PATIENCE)
        self.end()

    def end(self):
        """Ends it, whatever state it is in."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        self.kill_payload()
        eventually("nothing of the machine is left", self.unmount, PATIENCE)

    def discard(self):
        """Ends it and removes its files, so that the memory is free for the next machine."""
        self.end()
        shutil.rmtree(self.scratch)

    def kill_payload(self):
        """Ends the machine's processes, which live on when systemd-nspawn is killed. The next machine has the same control
        groups, and its systemd would wait for these processes whenever it stops a service."""
        with open("/proc/self/cgroup", encoding="ascii") as groups:
            own = next(line.strip().removeprefix("0::") for line in groups if line.startswith("0::"))
        payload = f"/sys/fs/cgroup{own}/payload"
        if not os.path.isdir(payload):
            return
        with open(f"{payload}/cgroup.kill", "w", encoding="ascii") as file:
            file.write("1")

        def is_empty():
            with open(f"{payload}/cgroup.events", encoding="ascii") as events:
                return "populated 0" in events.read()
        eventually("no process of the machine is left", is_empty, PATIENCE)

    def unmount(self):
        return subprocess.run(["umount", self.tree], stderr=subprocess.DEVNULL, check=False).returncode == 0

    def console(self):
        with open(f"{self.scratch}/console", encoding="utf-8", errors="replace") as console:
            return console.read()[-4000:]

    # Operations in it

    def command(self, arguments, leader=None):
        return ["nsenter", f"--target={leader or self.leader()}", *NAMESPACES, "--", *arguments]

    def run(self, *arguments, check=True, given=None, patience=PATIENCE, leader=None):
        """Runs a command as root, and returns its exit status and output."""
        result = subprocess.run(
            self.command(arguments, leader), input=given, stdin=None if given is not None else subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", errors="replace", env=ENVIRONMENT, timeout=patience, check=False)
        if check and result.returncode != 0:
            raise Failure(f"`{shlex.join(arguments)}` ends with 0",
                          f"it ended with {result.returncode}:\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
        return result

    def ask(self, *arguments, **more):
        """The output of a command."""
        return self.run(*arguments, **more).stdout.strip()

    def start(self, *arguments, **more):
        """Starts a command as root, with pipes to it, in a process group of its own: nsenter has a child."""
        return subprocess.Popen(
            self.command(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT,
            encoding="utf-8", errors="replace", start_new_session=True, **more)

    def start_service(self, name, *arguments, user="root", properties=()):
        """Starts a command as a service of its own, with pipes to it."""
        return self.start(
            "systemd-run", "--quiet", "--collect", "--pipe", "--wait", f"--unit={name}", f"--uid={user}",
            *[f"--property={each}" for each in properties], "--", *arguments)

    def write(self, path, text, mode=0o644):
        """A file in it; missing folders are created."""
        self.run("install", "-D", f"--mode={mode:o}", "/dev/stdin", path, given=text)

    def take(self, file, name):
        """A file from out here, as EXCHANGE/name."""
        shutil.copy(file, f"{self.scratch}/exchange/{name}")

    def remove(self, path):
        self.run("rm", "--recursive", "--force", path)

    def exists(self, path):
        return self.run("test", "-e", path, check=False).returncode == 0
