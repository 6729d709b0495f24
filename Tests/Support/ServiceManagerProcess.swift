import Glibc
import JSONText
import Platform

/// A small service manager of a test's own, in Python, with its own socket as systemd's: it starts real processes in control
/// groups of their services.
public final class ServiceManagerProcess {
    /// A start of a service.
    public struct Start: Equatable, Sendable {
        /// When, in seconds since 1970.
        public let time: Double
        /// The service.
        public let unit: String
        /// The process.
        public let processID: pid_t
    }

    /// A service.
    public struct Unit {
        let name: String
        let command: [String]
        let environment: [String: String]
        let output: String
        let group: TemporaryControlGroup

        /// A service with a control group of its own below a slice, whose output is appended to a file.
        public init(
            _ name: String, _ command: [String], environment: [String: String] = [:], output: String = "/dev/null",
            slice: String = "/waymark-test.slice"
        ) throws(SystemError) {
            self.name = name
            self.command = command
            self.environment = environment
            self.output = output
            group = try TemporaryControlGroup("\(slice)/\(name)")
        }

        fileprivate func write(to writer: inout JSONWriter) {
            writer.member("group", group.folder)
            writer.member("output", output)
            writer.key("command")
            writer.array { list in for word in command { list.string(word) } }
            writer.key("environment")
            writer.object { list in for (name, value) in environment { list.member(name, value) } }
        }
    }

    /// Whether one can be had here.
    public static let isPossible = TemporaryControlGroup.hierarchy != nil && python != nil
    private static let python = ["/usr/bin/python3"].first(where: ExecutableSearch.isExecutable)

    /// Its socket.
    public let socketPath: String
    private let units: [Unit]
    private let process: ChildProcess
    private let record: String

    /// Starts one in a directory, with these services; the prefix of its command may bring it into a network.
    public init(_ units: [Unit], in directory: TemporaryDirectory, entrance: [String] = []) throws {
        self.units = units
        socketPath = directory.file("manager.sock")
        record = directory.file("starts")
        var writer = JSONWriter()
        writer.object { all in
            for unit in units {
                all.key(unit.name)
                all.object { unit.write(to: &$0) }
            }
        }
        let definitions = try directory.write("units", String(decoding: writer.bytes, as: UTF8.self))
        let output = try OwnedDescriptor("open", subject: record) { [record] in
            open(record, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        let script = try Products.file("Tests/Support/service-manager.py")
        let command = entrance + [Self.python ?? "", "-B", script, socketPath, definitions]
        process = try ChildProcess(
            ChildProcess.Launch(
                command[0], Array(command.dropFirst()), output: .descriptor(output.number), error: .inherited,
                isGuarded: true))
        guard eventually(within: 60, { access(socketPath, F_OK) == 0 }) else {
            throw SystemError("start a service manager", code: ETIMEDOUT)
        }
    }

    deinit { process.signal(SIGTERM) }

    /// Starts a service as a person does, with systemctl(1).
    public func start(_ unit: String) throws {
        let bus = try MessageBus(.peer(path: socketPath))
        let destination = "org.freedesktop.systemd1"
        let number = try bus.send(
            MessageBus.Method(
                destination: destination, path: "/org/freedesktop/systemd1", interface: "\(destination).Manager",
                member: "StartUnit"), [.string(unit), .string("replace")])
        let deadline = PollDeadline(seconds: 60)
        while !deadline.hasPassed {
            while let message = try bus.next() {
                switch message.kind {
                case .answer(to: number): return
                case .failure(to: number, _, let message): throw SystemError("start", code: ENOENT, subject: message)
                default: break
                }
            }
            let interest = try bus.interest
            _ = try deadline.poll(interest.descriptor, for: interest.events)
        }
        throw SystemError("start", code: ETIMEDOUT, subject: unit)
    }

    /// Freezes a service, as systemctl(1) does, and returns when it is frozen.
    public func freeze(_ name: String) throws {
        guard let group = units.first(where: { $0.name == name })?.group else { return }
        try group.write("1", to: "cgroup.freeze")
        let isFrozen = try eventually(within: 60) {
            let events = try BoundedFile.bytes(of: "\(group.folder)/cgroup.events", limit: 4_096)
            return String(decoding: events, as: UTF8.self).contains("frozen 1")
        }
        guard isFrozen else { throw SystemError("freeze", code: ETIMEDOUT, subject: name) }
    }

    /// Kills what runs of a service: by its control group, because the number of a process that has ended may already belong to
    /// a process of another test.
    public func kill(_ name: String) throws {
        try units.first { $0.name == name }?.group.write("1", to: "cgroup.kill")
    }

    /// All starts so far.
    public var starts: [Start] {
        get throws(SystemError) {
            let text = String(decoding: try BoundedFile.bytes(of: record, limit: 16 << 20), as: UTF8.self)
            return text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 3, let time = Double(words[0]), let number = pid_t(words[2]) else { return nil }
                return Start(time: time, unit: String(words[1]), processID: number)
            }
        }
    }
}
