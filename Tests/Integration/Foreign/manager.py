"""A service manager for one service, which stores descriptors for it as systemd does, sd_notify(3): FDSTORE=1, FDNAME=,
FDPOLL=0, FDSTOREREMOVE=1, and hands them over with the listening socket at the next start, sd_listen_fds(3).

manager.py NOTIFY-SOCKET LISTENING-SOCKET MOST-DESCRIPTORS [older-kernel] -- PROGRAM ARGUMENT …

With `older-kernel` the kernel reports to the service, as before Linux 6.5, that SO_PEERPIDFD is unknown.

Commands on standard input: `start`, `kill SIGNAL` (and waits for the end), `stored`, `forget` (the store, as when a service is
stopped), `spoil FLAW` (the file `waymark-handover` of the store), `copy DIRECTORY` (writes a file for each stored descriptor, whose
name ends with the descriptor's: the content of a file, or what is queued in a socket). The reply to each is one line. It ends
with its input.
"""

import array
import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import stat
import struct
import sys
import termios

split = sys.argv.index("--")
notify_path, listen_path, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
is_older_kernel = "older-kernel" in sys.argv[4:split]
command = sys.argv[split + 1 :]

notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(notify_path)
os.chmod(notify_path, 0o777)
notify.setblocking(False)
listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listening.bind(listen_path)
os.chmod(listen_path, 0o666)
listening.listen(4096)

stored = []  # (name, descriptor)
poller = select.poll()
poller.register(notify, select.POLLIN)
child = 0


def drop(descriptor):
    """A polled descriptor that has hung up is removed without a request."""
    for entry in list(stored):
        if entry[1] == descriptor:
            stored.remove(entry)
    try:
        poller.unregister(descriptor)
    except KeyError:
        pass
    os.close(descriptor)


def take_notifications():
    """Receives the pending notifications, and returns the reported states."""
    states = []
    while True:
        try:
            data, control, _, _ = notify.recvmsg(4096, socket.CMSG_SPACE(64 * 4))
        except BlockingIOError:
            return states
        received = array.array("i")
        for level, kind, content in control:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                received.frombytes(content[: len(content) - len(content) % 4])
        words = dict(line.split("=", 1) for line in data.decode().split("\n") if "=" in line)
        states.append(words)
        if words.get("FDSTORE") == "1":
            for descriptor in received:
                if len(stored) >= most:
                    os.close(descriptor)
                    continue
                stored.append((words.get("FDNAME", "stored"), descriptor))
                if words.get("FDPOLL") != "0":
                    try:
                        poller.register(descriptor, 0)
                    except PermissionError:
                        pass
        elif words.get("FDSTOREREMOVE") == "1":
            for name, descriptor in list(stored):
                if name == words.get("FDNAME"):
                    drop(descriptor)
        else:
            for descriptor in received:
                os.close(descriptor)


def forget_peer_pidfd():
    """A filter of system calls, seccomp(2): getsockopt(2) of SOL_SOCKET and SO_PEERPIDFD is ENOPROTOOPT."""
    number = {"x86_64": 55, "aarch64": 209}[platform.machine()]
    # (code, jump if true, jump if false, value): load a word of struct seccomp_data, compare, return.
    instructions = [
        (0x20, 0, 0, 0), (0x15, 0, 5, number), (0x20, 0, 0, 24), (0x15, 0, 3, socket.SOL_SOCKET),
        (0x20, 0, 0, 32), (0x15, 0, 1, 77), (0x06, 0, 0, 0x00050000 | errno.ENOPROTOOPT), (0x06, 0, 0, 0x7FFF0000),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
    program = ctypes.create_string_buffer(struct.pack("HP", len(instructions), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        os._exit(111)


def start():
    global child
    handed = [("varlink", listening.fileno())] + stored
    child = os.fork()
    if child == 0:
        # Descriptors are duplicated to high numbers first: a wanted number may be in use by another one of the list.
        high = [os.dup(descriptor) for _, descriptor in handed]
        low = 3 + len(high)
        moved = []
        for descriptor in high:
            while descriptor < low:
                descriptor = os.dup(descriptor)
            moved.append(descriptor)
        for number, descriptor in enumerate(moved, start=3):
            os.dup2(descriptor, number, inheritable=True)
        os.closerange(low, 65536)
        os.environ.update(
            LISTEN_PID=str(os.getpid()),
            LISTEN_FDS=str(len(handed)),
            LISTEN_FDNAMES=":".join(name for name, _ in handed),
            NOTIFY_SOCKET=notify_path,
            FDSTORE=str(most),
        )
        if is_older_kernel:
            forget_peer_pidfd()
        os.execv(command[0], command)


def answer(text):
    print(text, flush=True)


def has_ended():
    global child
    if child and os.waitpid(child, os.WNOHANG)[0] == child:
        child = 0
    return child == 0


def obey(words):
    if words[0] == "start":
        start()
        while True:
            poller.poll(50)
            if any(state.get("READY") == "1" for state in take_notifications()):
                return answer(f"ready {child}")
            if has_ended():
                return answer("ended")
    elif words[0] == "kill":
        os.kill(child, int(words[1]))
        while not has_ended():
            poll_once(20)
        poll_once(0)
        answer("killed")
    elif words[0] == "stored":
        poll_once(0)
        answer(f"stored {len(stored)} {' '.join(name for name, _ in stored)}")
    elif words[0] == "spoil":
        for name, descriptor in stored:
            if name == "waymark-handover":
                if words[1] == "garbage":
                    os.pwrite(descriptor, os.urandom(4096), 0)
                elif words[1] == "truncated":
                    os.ftruncate(descriptor, 6)
                elif words[1] == "newer":
                    version = int.from_bytes(os.pread(descriptor, 4, 4), "little")
                    os.pwrite(descriptor, (version + 1).to_bytes(4, "little"), 4)
        answer("spoiled")
    elif words[0] == "copy":
        poll_once(0)
        for number, (name, descriptor) in enumerate(stored):
            with open(os.path.join(words[1], f"{number}-{name}"), "wb") as copy:
                copy.write(content(descriptor))
        answer(f"copied {len(stored)}")
    elif words[0] == "forget":
        for _, descriptor in list(stored):
            drop(descriptor)
        answer("forgotten")


def content(descriptor):
    """Everything that a thief reads from a descriptor: a whole file, or what is queued in a socket, which remains there."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    if not stat.S_ISSOCK(mode):
        return b""
    queued = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, queued)
    if queued[0] == 0:
        return b""
    with socket.socket(fileno=os.dup(descriptor)) as connection:
        peeked = connection.recv(queued[0], socket.MSG_PEEK | socket.MSG_DONTWAIT)
    if len(peeked) != queued[0]:
        sys.exit(f"{len(peeked)} bytes of {queued[0]} in a stored socket were read")
    return peeked


def poll_once(timeout):
    for descriptor, events in poller.poll(timeout):
        if descriptor == notify.fileno():
            take_notifications()
        elif descriptor != 0 and events & (select.POLLHUP | select.POLLERR):
            drop(descriptor)


poller.register(0, select.POLLIN)
rest = b""
try:
    while True:
        for descriptor, events in poller.poll():
            if descriptor == 0:
                more = os.read(0, 65536)
                if not more:
                    sys.exit()
                rest += more
                while b"\n" in rest:
                    line, rest = rest.split(b"\n", 1)
                    obey(line.decode().split())
            elif descriptor == notify.fileno():
                take_notifications()
            elif events & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
                if any(entry[1] == descriptor for entry in stored):
                    drop(descriptor)
finally:
    if child:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
