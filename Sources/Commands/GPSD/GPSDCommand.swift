import CommandLineKit
import Glibc
import Platform

/// `waymark gpsd`: restricts gpsd to Waymark's daemon, or opens it to all users.
enum GPSDCommand {
    static let command = Command(
        "gpsd", "close this machine's gpsd to everybody but Waymark, or open it again",
        discussion: [
            "gpsd has no authorization: any user can read positions from it, whatever Waymark authorizes. A closed gpsd"
                + " serves Waymark's daemon only."
        ],
        examples: [
            Command.Example("waymark gpsd status", "Can any user of this machine read positions from gpsd?"),
            Command.Example("sudo waymark gpsd close", "From now on only Waymark's daemon reads gpsd."),
            Command.Example("sudo waymark gpsd open", "For a program that has to read gpsd itself."),
        ],
        subcommands: [
            Command(
                "close", "restrict gpsd to Waymark's daemon",
                discussion: [
                    "Writes drop-ins for gpsd.socket, gpsd.service and waymark-gpsd.service and restarts gpsd: it then"
                        + " has no network, no shared memory with others, and no message bus. Other programs that read"
                        + " gpsd directly stop working. Receivers that are plugged in are still found.",
                    "Where chrony is installed, it and gpsd get a shared IPC namespace, and chrony is restarted: gpsd"
                        + " still provides it with the time, by shared memory (refclock SHM 0), and with the pulses of"
                        + " a receiver with PPS by the socket /run/chrony.DEVICE.sock (refclock SOCK). gpsd reads the"
                        + " receiver at all times only with the option -n. ntpsec gets no time from a closed gpsd: use"
                        + " chrony in its place.",
                    "A gpsd that needs the network, for NTRIP or a remote receiver, is refused; Documentation/hardening.md"
                        + " has a rule of nftables for it. Needs root.",
                ],
                options: [Option("dry-run", "print what would be written, and change nothing")]),
            Command(
                "open", "remove what `waymark gpsd close` has written, and restart gpsd",
                discussion: ["Restores the earlier state of gpsd. Needs root."],
                options: [Option("dry-run", "print what would be removed, and change nothing")]),
            Command(
                "status", "test whether any user can read gpsd",
                discussion: [
                    "Tries TCP port 2947, the shared memory and the message bus; as root with the rights of the user"
                        + " nobody. It ends with 1 where one of them is open."
                ],
                options: [CommonOptions.json]),
        ])

    static func run(_ session: Session) throws(CommandFailure) {
        switch session.invocation.path.last {
        case "close": try close(session)
        case "open": try open(session)
        default: try status(session)
        }
    }

    private static func status(_ session: Session) throws(CommandFailure) {
        let doors = GPSDDoors.probe()
        let closing = GPSDClosing()
        if session.isJSON {
            try session.print(json: doors.json(isInPlace: closing.isInPlace))
        } else {
            try session.print(
                lines(doors, isInPlace: closing.isInPlace).flatMap { session.terminal.wrapped($0) })
            if closing.isChronyLeftOut {
                session.remarks.say(
                    "chrony was installed after gpsd was closed, and gets no time from it. Close gpsd again:"
                        + " `sudo waymark gpsd close`.")
            }
        }
        if !doors.open.isEmpty { throw .ended(.failure) }
    }

    /// Warns a person where any user can read gpsd.
    static func warn(_ session: Session) throws(CommandFailure) {
        guard !session.isJSON, let warning = GPSDDoors.probe().warning else { return }
        session.remarks.hint("\(warning) \(GPSDDoors.advice)")
    }

    static func lines(_ doors: GPSDDoors, isInPlace: Bool) -> [String] {
        let doorLines = [
            "TCP port 2947   \(doors.network.rawValue)", "Shared memory   \(doors.sharedMemory.rawValue)",
            "Message bus     \(doors.bus.rawValue)",
        ]
        guard let warning = doors.warning else {
            return [isInPlace ? "gpsd is closed to everybody but Waymark." : "No open access to gpsd was found."]
                + doorLines
        }
        let advice =
            isInPlace ? "It was closed, but still has open access: is another gpsd running?" : GPSDDoors.advice
        return [warning] + doorLines + [advice]
    }

    private static func close(_ session: Session) throws(CommandFailure) {
        let closing = GPSDClosing()
        if session.invocation.has("dry-run") {
            return try session.print(
                closing.files.flatMap { ["# \($0.path)"] + $0.text.split(separator: "\n").map(String.init) })
        }
        try requireRoot("close")
        guard getpwnam("waymarkd") != nil else {
            throw .failed("NotInstalled", "There is no user waymarkd: install Waymark as a service first.")
        }
        guard try systemctl(["cat", "gpsd.socket", "gpsd.service"], seconds: 10).status.isSuccess else {
            throw .failed("NotInstalled", "systemd has no unit gpsd.socket: install gpsd with its units first.")
        }
        if let need = try networkNeed() {
            throw .failed(
                "NeedsNetwork",
                "gpsd needs the network (\(need) in /etc/default/gpsd), which a closed gpsd does not have. Use a rule of"
                    + " nftables instead: see Documentation/hardening.md.")
        }
        do throws(SystemError) { try closing.write() } catch { throw CommandFailure(error) }
        do throws(CommandFailure) {
            try restart(chronyUnit: closing.chronyUnit)
        } catch {
            _ = try undo(closing)
            throw error
        }
        if let warning = GPSDDoors.probe().warning {
            throw .failed(
                "StillOpen",
                "\(warning) gpsd's service is closed, so another gpsd is running beside it: stop it (`pgrep -a gpsd`),"
                    + " and check again with `waymark gpsd status`.")
        }
        try session.print(sentence: "gpsd is closed to everybody but Waymark. `sudo waymark gpsd open` opens it again.")
    }

    private static func open(_ session: Session) throws(CommandFailure) {
        let closing = GPSDClosing()
        if session.invocation.has("dry-run") {
            return try session.print(closing.paths.filter { access($0, F_OK) == 0 }.map { "remove \($0)" })
        }
        try requireRoot("open")
        guard try undo(closing) else {
            return try session.print(sentence: "gpsd was not closed by Waymark: nothing was changed.")
        }
        try session.print(sentence: "gpsd serves everybody on this machine again.")
    }

    private static func requireRoot(_ word: String) throws(CommandFailure) {
        guard geteuid() == 0 else {
            throw .failed("NotPermitted", "Only root may do this: `sudo waymark gpsd \(word)`.", .notAuthorized)
        }
    }

    private static func networkNeed() throws(CommandFailure) -> String? {
        do throws(SystemError) {
            let bytes = try BoundedFile.bytes(of: "/etc/default/gpsd", limit: 1 << 16)
            return GPSDClosing.networkNeed(inDefaults: String(decoding: bytes, as: UTF8.self))
        } catch {
            if error.code == ENOENT { return nil }
            throw CommandFailure(error)
        }
    }

    /// Removes the files and restarts the units concerned; returns whether there was a file.
    private static func undo(_ closing: GPSDClosing) throws(CommandFailure) -> Bool {
        let chronyUnit = closing.hasNamespaceUnit ? closing.chronyUnit : nil
        // systemd cannot stop a unit whose file was removed.
        if closing.hasNamespaceUnit { try perform([["stop", GPSDClosing.namespaceUnit]]) }
        let hasRemoved: Bool
        do throws(SystemError) { hasRemoved = try closing.remove() } catch { throw CommandFailure(error) }
        if hasRemoved { try restart(chronyUnit: chronyUnit) }
        return hasRemoved
    }

    /// Reloads systemd's files, and restarts gpsd with its sockets and chrony with its IPC namespace.
    private static func restart(chronyUnit: String?) throws(CommandFailure) {
        let wasActive = try systemctl(["is-active", "--quiet", "gpsd.service"], seconds: 10).status.isSuccess
        try perform([["daemon-reload"], ["stop", "gpsd.service", "gpsd.socket"]])
        removeSharedMemory()
        // gpsd connects to chrony's sockets when it opens the receiver, so chrony has to start first.
        if let chronyUnit { try perform([["try-restart", chronyUnit]]) }
        try perform(
            [["start", "gpsd.socket"]] + (wasActive ? [["start", "gpsd.service"]] : [])
                + [["try-restart", "waymark-gpsd.service"]])
    }

    private static func perform(_ steps: [[String]]) throws(CommandFailure) {
        for step in steps {
            let run = try systemctl(step, seconds: 90)
            guard run.status.isSuccess else {
                throw .failed("SystemdFailed", "systemctl \(step.joined(separator: " ")) failed: \(run.error)")
            }
        }
    }

    /// Removes the shared memory of a gpsd that has ended, shmctl(2): gpsd leaves it behind with the last position in
    /// it, readable by all users. A gpsd that still runs retains its own, and `status` reports it.
    private static func removeSharedMemory() {
        let segment = shmget(GPSDDoors.sharedMemoryKey, 0, 0)
        if segment >= 0 { shmctl(segment, IPC_RMID, nil) }
    }

    private static func systemctl(_ arguments: [String], seconds: Double) throws(CommandFailure) -> CompletedProcess {
        guard let program = ExecutableSearch.find("systemctl") else {
            throw .failed("NotInstalled", "There is no systemctl: this machine does not run systemd.")
        }
        do throws(SystemError) {
            return try CompletedProcess.run(program, arguments, seconds: seconds)
        } catch {
            throw CommandFailure(error)
        }
    }
}
