import CMicroHTTPD
import Platform

/// The body of a response whose length is not known: the service appends to it for as long as the request lasts, and meanwhile the
/// connection is suspended.
@DaemonActor
final class StreamedBody {
    private let connection: OpaquePointer
    private let setWaiting: @DaemonActor (Bool) -> Void
    /// Bytes that libmicrohttpd has not copied yet.
    private var bytes: [UInt8] = []
    private var isFinished = false
    private var isWaiting = false
    /// Whether the client does not read what it is sent.
    private var isLost = false

    /// The memory of a connection for bytes that are about to be sent.
    private static let blockSize = 8 << 10
    /// The most bytes for a client that does not read them.
    private static let mostBytes = 1 << 20

    init(_ connection: OpaquePointer, setWaiting: @escaping @DaemonActor (Bool) -> Void) {
        self.connection = connection
        self.setWaiting = setWaiting
    }

    /// The response of libmicrohttpd, which has a reference to this object for as long as it exists.
    /// MHD_create_response_from_callback; a length of UINT64_MAX is one that is not known.
    func response() -> OpaquePointer? {
        MHD_create_response_from_callback(
            .max, Self.blockSize,
            { context, _, room, most in
                guard let context, let room else { return -2 }
                let wanted = StreamRoom(context: context, room: room, most: most)
                return DaemonActor.assumeIsolated { wanted.copy() }
            }, Unmanaged.passRetained(self).toOpaque(),
            { context in
                guard let context else { return }
                let ended = EndedStream(context: context)
                DaemonActor.assumeIsolated { ended.release() }
            })
    }

    /// Sends bytes. A client that does not read is disconnected.
    func append(_ more: [UInt8]) {
        guard !isFinished else { return }
        bytes += more
        if bytes.count > Self.mostBytes { (bytes, isLost) = ([], true) }
        resume()
    }

    /// Ends the body after what was appended.
    func finish() {
        isFinished = true
        resume()
    }

    private func resume() {
        guard isWaiting else { return }
        isWaiting = false
        MHD_resume_connection(connection)
        setWaiting(false)
    }

    /// Copies bytes to libmicrohttpd, or suspends the connection until there are some.
    fileprivate func copy(to room: UnsafeMutablePointer<CChar>, most: Int) -> Int {
        // MHD_CONTENT_READER_END_WITH_ERROR
        guard !isLost else { return -2 }
        guard !bytes.isEmpty else {
            // MHD_CONTENT_READER_END_OF_STREAM
            guard !isFinished else { return -1 }
            isWaiting = true
            setWaiting(true)
            MHD_suspend_connection(connection)
            return 0
        }
        let count = min(bytes.count, most)
        bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: room, count: most).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        bytes.removeFirst(count)
        return count
    }
}

/// The arguments of libmicrohttpd's callback, which it calls on the loop's thread.
private struct StreamRoom: @unchecked Sendable {
    let context: UnsafeMutableRawPointer
    let room: UnsafeMutablePointer<CChar>
    let most: Int

    @DaemonActor func copy() -> Int {
        Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue().copy(to: room, most: most)
    }
}

/// A response that was sent, or whose connection has failed.
private struct EndedStream: @unchecked Sendable {
    let context: UnsafeMutableRawPointer

    @DaemonActor func release() { Unmanaged<StreamedBody>.fromOpaque(context).release() }
}
