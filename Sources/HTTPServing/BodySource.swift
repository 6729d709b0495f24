import CMicroHTTPD
import Platform

/// The body of a response that is sent in parts: libmicrohttpd copies bytes from the present part, and the connection waits
/// while the service reads the next one.
@DaemonActor
final class BodySource {
    private let length: Int
    private let connection: OpaquePointer
    private let request: @DaemonActor (Int) -> Void
    private let setWaiting: @DaemonActor (Bool) -> Void
    /// The present part, and the offset of its first byte in the body.
    private var part: [UInt8] = []
    private var start = 0
    private var isWaiting = false
    private var isAtEnd = false

    /// The memory of a connection for bytes that are about to be sent.
    private static let blockSize = 128 << 10

    init(
        length: Int, _ connection: OpaquePointer, _ request: @escaping @DaemonActor (Int) -> Void,
        setWaiting: @escaping @DaemonActor (Bool) -> Void
    ) {
        self.length = length
        self.connection = connection
        self.request = request
        self.setWaiting = setWaiting
    }

    /// The response of libmicrohttpd, which has a reference to this object for as long as it exists.
    /// MHD_create_response_from_callback.
    func response() -> OpaquePointer? {
        MHD_create_response_from_callback(
            UInt64(length), Self.blockSize,
            { context, offset, room, most in
                guard let context, let room else { return -2 }
                let wanted = WantedBytes(context: context, offset: Int(offset), room: room, most: most)
                return DaemonActor.assumeIsolated { wanted.copy() }
            }, Unmanaged.passRetained(self).toOpaque(),
            { context in
                guard let context else { return }
                let ended = EndedSource(context: context)
                DaemonActor.assumeIsolated { ended.release() }
            })
    }

    /// Provides the part that was requested last; no bytes end the response before its time.
    func provide(_ bytes: [UInt8]) {
        guard isWaiting else { return }
        isWaiting = false
        start += part.count
        part = bytes
        isAtEnd = bytes.isEmpty
        setWaiting(false)
        MHD_resume_connection(connection)
    }

    /// Copies bytes to libmicrohttpd, or suspends the connection until there are some.
    fileprivate func copy(from offset: Int, to room: UnsafeMutablePointer<CChar>, most: Int) -> Int {
        // MHD_CONTENT_READER_END_WITH_ERROR
        guard !isAtEnd, offset >= start else { return -2 }
        let rest = part.count - (offset - start)
        guard rest > 0 else {
            isWaiting = true
            setWaiting(true)
            MHD_suspend_connection(connection)
            request(start + part.count)
            return 0
        }
        let count = min(rest, most)
        part[(offset - start)..<(offset - start + count)].withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: room, count: most).copyMemory(from: bytes)
        }
        return count
    }
}

/// The arguments of libmicrohttpd's callback, which it calls on the loop's thread.
private struct WantedBytes: @unchecked Sendable {
    let context: UnsafeMutableRawPointer
    let offset: Int
    let room: UnsafeMutablePointer<CChar>
    let most: Int

    @DaemonActor func copy() -> Int {
        Unmanaged<BodySource>.fromOpaque(context).takeUnretainedValue().copy(from: offset, to: room, most: most)
    }
}

/// A response that was sent, or whose connection has failed.
private struct EndedSource: @unchecked Sendable {
    let context: UnsafeMutableRawPointer

    @DaemonActor func release() { Unmanaged<BodySource>.fromOpaque(context).release() }
}
