import Glibc
import Location
import Platform
import Waymark

/// An app that sleeps: it is started when something happens, handles each pending event, and ends.
///
///     waymark-sleeper RECORD PERCENT path|push[=SOCKET]|region=LATITUDE,LONGITUDE,METRES...
///     waymark-sleeper RECORD life STATE active|background|sleep...
///
/// A launch for a subscription that has fired has a further line with its container, database and name. The second form is a program of `Application.run`, see `LifeProgram`. The first one writes a line when it starts, and one for
/// each event that no process before it has written; that of a push ends with the text of the record n1, which it reads from the
/// waymark-sync at this socket. Between that line and the acknowledgement it kills itself in so many of a hundred cases.
@main struct Sleeper {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count > 4, arguments[2] == "life" {
            return try await LifeProgram.run(
                try SleeperRecord(path: arguments[1]), state: arguments[3], options: Set(arguments[4...]))
        }
        guard arguments.count > 3, let percent = Int(arguments[2]) else {
            print("usage: waymark-sleeper RECORD PERCENT path|push[=SOCKET]|region=LATITUDE,LONGITUDE,METRES...")
            exit(2)
        }
        let socket = arguments.first { $0.hasPrefix("push=") }.map { String($0.dropFirst(5)) }
        let sleeper = Sleeper(try SleeperRecord(path: arguments[1]), percent: percent, syncSocket: socket)
        let isWoken = try await sleeper.begin()
        if !isWoken { try await sleeper.request(arguments[3...]) }
        while try await sleeper.handleNext() {}
    }

    private let client = WaymarkClient()
    private let record: SleeperRecord
    private let percent: Int
    private let syncSocket: String?

    init(_ record: SleeperRecord, percent: Int, syncSocket: String? = nil) {
        self.record = record
        self.percent = percent
        self.syncSocket = syncSocket
    }

    /// Writes why it runs, and returns whether it was woken.
    private func begin() async throws -> Bool {
        let reason = try await patiently { try await client.wakes.launchReason() }
        let now = SystemClock().utcMicroseconds
        record.write("launch \(reason.cause?.rawValue ?? "own") \(getpid()) \(now)")
        for fired in reason.firedSubscriptions {
            record.write("fired \(fired.container) \(fired.databaseScope) \(fired.subscriptionID)")
        }
        return reason.isWoken
    }

    /// Requests what it is to be woken for.
    func request(_ words: ArraySlice<String>) async throws {
        for word in words {
            let numbers = word.drop { $0 != "=" }.dropFirst().split(separator: ",").compactMap { Double($0) }
            if numbers.count == 3, let center = Coordinate(latitude: numbers[0], longitude: numbers[1]) {
                try await patiently {
                    let monitor = try await client.monitor("m")
                    guard try await monitor.record(for: "yard") == nil else { return }
                    try await monitor.add(.circle(center: center, radius: numbers[2]), identifier: "yard")
                }
            } else if !word.hasPrefix("push") {
                // Pushes need no request.
                try await patiently { try await client.wakes.subscribe(.path) }
            }
        }
    }

    /// Handles the first pending event; returns whether there was one.
    func handleNext() async throws -> Bool {
        try await patiently {
            guard let next = try await client.wakes.launchReason().reasons.first else { return false }
            if let name = next.monitor {
                let monitor = try await client.monitor(name)
                for try await event in monitor.events(after: next.first - 1) {
                    note(name, event.sequence, event.kind.rawValue)
                    try await monitor.acknowledge(event)
                    return true
                }
            } else {
                for try await event in client.wakes.events {
                    note("app", event.sequence, try await describe(event))
                    try await client.wakes.acknowledge(event)
                    return true
                }
            }
            return true
        }
    }

    /// What has happened, without spaces.
    private func describe(_ event: Wakes.Event) async throws -> String {
        guard let name = event.container else { return event.cause.rawValue }
        guard let syncSocket else { return "\(event.cause.rawValue)=\(name)" }
        let zone = RecordZone.ID(zoneName: "notes")
        let record = try await Container(identifier: name, socketPath: syncSocket).privateDatabase
            .records(for: [Record.ID(recordName: "n1", zoneID: zone)]).values.first
        let text: String? = if case .success(let note)? = record { note["text", as: String.self] } else { nil }
        return "\(event.cause.rawValue)=\(name)=\(text ?? "")"
    }

    private func note(_ name: String, _ sequence: Int64, _ kind: String) {
        record.writeOnce("event \(name) \(sequence) \(kind)")
        if Int.random(in: 0..<100) < percent { kill(getpid(), SIGKILL) }
    }

    /// Repeats something that fails because the daemon ends or is not there.
    private func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
        let deadline = PollDeadline(seconds: 60)
        while true {
            do { return try await body() } catch  where error is WaymarkError || error is RecordError {
                guard !deadline.hasPassed else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}

/// The file with what the app has seen, over all its processes.
struct SleeperRecord: Sendable {
    private let file: SharedDescriptor
    private let path: String

    init(path: String) throws(SystemError) {
        self.path = path
        file = SharedDescriptor(
            try OwnedDescriptor("open", subject: path) { open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) })
    }

    func write(_ line: String) {
        let text = line + "\n"
        guard Glibc.write(file.number, text, text.utf8.count) == text.utf8.count else { exit(3) }
    }

    /// Writes a line unless it is there.
    func writeOnce(_ line: String) {
        do throws(SystemError) {
            let text = String(decoding: try BoundedFile.bytes(of: path, limit: 16 << 20), as: UTF8.self)
            if !text.split(separator: "\n").contains(Substring(line)) { write(line) }
        } catch {
            exit(3)
        }
    }
}
