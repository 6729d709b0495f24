import CWaymark
import Glibc
import Testing

/// A client of the C library, as a program in C uses it.
final class CClient {
    /// An event that was taken.
    struct Taken: Equatable {
        let type: Int32
        let call: UInt64
        let error: Int32
        let message: String
    }

    let pointer: OpaquePointer

    init(_ path: String) throws {
        var client: OpaquePointer?
        try #require(waymark_client_new(path, &client) == 0)
        pointer = try #require(client)
    }

    deinit { waymark_client_free(pointer) }

    /// Begins a call.
    func begin(_ call: (OpaquePointer, UnsafeMutablePointer<waymark_call>) -> Int32) throws -> waymark_call {
        var number: waymark_call = 0
        try #require(call(pointer, &number) == 0)
        return number
    }

    /// The next event; nil if there is none in time.
    func next(within milliseconds: Int32 = 60_000) throws -> Taken? {
        try #require(waymark_wait(pointer, milliseconds) >= 0)
        return queued()
    }

    /// The next event that is there already; nil if there is none. Nothing is attempted meanwhile.
    func queued() -> Taken? {
        var event: OpaquePointer?
        guard waymark_next(pointer, &event) == 1 else { return nil }
        defer { waymark_event_free(event) }
        return Taken(
            type: waymark_event_type(event), call: waymark_event_call(event), error: waymark_event_error(event),
            message: String(cString: waymark_event_message(event)))
    }

    /// The events until the end of a call, which is the last one.
    func events(untilEndOf call: waymark_call) throws -> [Taken] {
        var events: [Taken] = []
        while let event = try next() {
            events.append(event)
            if event.call == call, event.type == Self.ended { break }
        }
        return events
    }

    static let ended = Int32(WAYMARK_EVENT_ENDED.rawValue)
    static let interrupted = Int32(WAYMARK_EVENT_INTERRUPTED.rawValue)
    static let resumed = Int32(WAYMARK_EVENT_RESUMED.rawValue)
    static let path = Int32(WAYMARK_EVENT_PATH.rawValue)
}
