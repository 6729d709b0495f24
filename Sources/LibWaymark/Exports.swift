// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// waymark.h documents the functions.

import CWaymark
import Glibc
import Interfaces
import Platform

// The functions of `waymark.h`. The compiler compares each with its declaration there, which documents it.

/// What the functions have in common.
enum Exports {
    /// The client behind a pointer.
    static func client(_ pointer: OpaquePointer) -> Unmanaged<Client> {
        Unmanaged<Client>.fromOpaque(UnsafeRawPointer(pointer))
    }

    /// The event behind a pointer; nil for NULL.
    static func event(_ pointer: OpaquePointer?) -> Event? {
        pointer.map { Unmanaged<Event>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    /// Runs a function of a client, unless the client is NULL or of the parent process.
    static func with(_ pointer: OpaquePointer?, _ body: (Client) throws(InvalidArgument) -> Int32) -> Int32 {
        guard let pointer else { return -EINVAL }
        let client = client(pointer).takeUnretainedValue()
        guard client.isOwn else { return -ECHILD }
        do throws(InvalidArgument) { return try body(client) } catch { return -error.code }
    }

    /// Begins a call.
    static func begin(
        _ pointer: OpaquePointer?, _ call: UnsafeMutablePointer<waymark_call>?,
        _ operation: () throws(InvalidArgument) -> Operation
    ) -> Int32 {
        with(pointer) { (client) throws(InvalidArgument) in
            let number = client.begin(try operation())
            call?.pointee = number
            return 0
        }
    }
}

@implementation @c public func waymark_error_message(_ error: Int32) -> UnsafePointer<CChar>? {
    StaticTexts.shared.text(of: error)
}

@implementation @c public func waymark_version() -> UnsafePointer<CChar>? { StaticTexts.shared.version }

@implementation @c public func waymark_client_new(
    _ socketPath: UnsafePointer<CChar>?, _ client: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    guard let client else { return -EINVAL }
    client.pointee = nil
    do throws(InvalidArgument) {
        let environment = try Arguments.optionalText(getenv(WaymarkSocket.environmentVariable))
        let path = try Arguments.optionalText(socketPath) ?? (environment == "" ? nil : environment)
        let made = try make(path ?? WaymarkSocket.defaultPath)
        client.pointee = OpaquePointer(Unmanaged.passRetained(made).toOpaque())
        return 0
    } catch {
        return -error.code
    }
}

private func make(_ path: String) throws(InvalidArgument) -> Client {
    do throws(SystemError) { return try Client(socketPath: path) } catch { throw InvalidArgument(error.code) }
}

@implementation @c public func waymark_client_free(_ client: OpaquePointer?) {
    if let client { Exports.client(client).release() }
}

@implementation @c public func waymark_fd(_ client: OpaquePointer?) -> Int32 {
    Exports.with(client) { (client) in client.descriptor }
}

@implementation @c public func waymark_timeout(_ client: OpaquePointer?) -> Int32 {
    Exports.with(client) { (client) in client.timeout }
}

@implementation @c public func waymark_process(_ client: OpaquePointer?) -> Int32 {
    Exports.with(client) { (client) throws(InvalidArgument) in
        do throws(SystemError) { try client.handleReadiness() } catch { throw InvalidArgument(error.code) }
        return client.queuedEvents
    }
}

@implementation @c public func waymark_wait(_ client: OpaquePointer?, _ milliseconds: Int32) -> Int32 {
    Exports.with(client) { (client) throws(InvalidArgument) in
        let limit = PollDeadline(after: milliseconds < 0 ? nil : .milliseconds(Int64(milliseconds)))
        while true {
            do throws(SystemError) { try client.handleReadiness() } catch { throw InvalidArgument(error.code) }
            if client.queuedEvents > 0 { return client.queuedEvents }
            if milliseconds < 0, !client.isExpecting { throw InvalidArgument(EDEADLK) }
            let remaining = limit.remainingMilliseconds
            if remaining == 0 { return 0 }
            let timeouts = [client.timeout, remaining].filter { $0 >= 0 }
            var entry = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
            // A signal that the program has handled ends the wait.
            if poll(&entry, 1, timeouts.min() ?? -1) < 0 { throw InvalidArgument(errno) }
        }
    }
}

@implementation @c public func waymark_next(
    _ client: OpaquePointer?, _ event: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    guard let event else { return -EINVAL }
    event.pointee = nil
    return Exports.with(client) { (client) in
        guard let next = client.nextEvent() else { return 0 }
        event.pointee = OpaquePointer(Unmanaged.passRetained(next).toOpaque())
        return 1
    }
}

@implementation @c public func waymark_end(_ client: OpaquePointer?, _ call: waymark_call) -> Int32 {
    Exports.with(client) { (client) in client.end(call) ? 0 : -ENOENT }
}
