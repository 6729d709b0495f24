import Authorization
import Events
import Journal
import Platform
import Storage

/// Records the events of the daemon's parts: in the journal, and as a line in the system's log.
@DaemonActor
final class EventRecorder {
    private let journal: EventJournal

    init(journal: EventJournal) {
        self.journal = journal
    }

    /// Records an event, which becomes durable soon.
    func record(_ event: Event) {
        notify(event)
        journal.append(event)
    }

    /// Records an event, and calls back when it is durable, or with the reason why it is not.
    func record(_ event: Event, completion: @escaping @Sendable @DaemonActor (Result<Int64, StorageError>) -> Void) {
        notify(event)
        journal.append(event, urgency: .now) { result in
            // Like every callback of the journal, this runs on the event loop.
            DaemonActor.assumeIsolated { completion(result) }
        }
    }

    /// Makes the policy's records durable, and calls back when they are, or with the reason why they never will be.
    func store(
        _ records: [Policy.Record],
        completion: @escaping @Sendable @DaemonActor (Result<Void, StorageError>) -> Void
    ) {
        journal.append(records) { result in
            DaemonActor.assumeIsolated { completion(result) }
        }
        for record in records { notify(Event(record)) }
    }

    /// Writes an event to the system's log, if its kind belongs there.
    func notify(_ event: Event) {
        guard event.kind.messageID != nil else { return }
        if event.kind.isLoss {
            Log.warning(event.logMessage, event.logFields)
        } else {
            Log.notice(event.logMessage, event.logFields)
        }
    }
}

extension Event {
    /// The log line of an event: the words, the app and user, and the details as names and values.
    var logMessage: String {
        var words = app.map { ["app=\($0)"] } ?? []
        if let uid { words.append("uid=\(uid)") }
        words += details.entries.map { "\($0.name)=\($0.value.plain)" }
        return words.isEmpty ? kind.words : kind.words + ": " + words.joined(separator: " ")
    }

    /// The additional fields in the systemd journal: the ID that `journalctl -x` explains, and a field for each detail,
    /// such as `WAYMARK_AFTER_SECONDS` for `afterSeconds`.
    var logFields: [Log.Field] {
        var fields = kind.messageID.map { [Log.Field("MESSAGE_ID", $0)] } ?? []
        fields.append(Log.Field("WAYMARK_EVENT", kind.rawValue))
        if let app { fields.append(Log.Field("WAYMARK_APP", app)) }
        if let uid { fields.append(Log.Field("WAYMARK_UID", String(uid))) }
        fields += details.entries.map { Log.Field(Self.fieldName($0.name), $0.value.plain) }
        return fields
    }

    /// The field name of a detail.
    static func fieldName(_ detail: String) -> String {
        var name = Array("WAYMARK_".utf8)
        for byte in detail.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): name.append(byte - 0x20)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): name += [UInt8(ascii: "_"), byte]
            default: name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension EventValue {
    fileprivate var plain: String {
        switch self {
        case .text(let value): value
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .bool(let value): String(value)
        }
    }
}
