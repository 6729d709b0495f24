import Netlink

/// Gives the replies of a recording, and no others.
public final class RecordedExchange: KernelExchange {
    private var answers: [[UInt8]: [[UInt8]]] = [:]
    /// The requests that have no reply in the recording.
    public private(set) var unknown: [[UInt8]] = []

    /// Gives the replies of this recording.
    public init(_ recording: NetlinkRecording) {
        for exchange in recording.exchanges { answers[exchange.request] = exchange.answer }
    }

    /// A kernel that gives these replies.
    public var kernel: KernelInquiry { KernelInquiry(exchange: self, readsDeviceTypes: false) }

    /// Passes on the recorded reply to the same request.
    public func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let answer = answers[Array(request)] else {
            unknown.append(Array(request))
            return false
        }
        return answer.contains { datagram in datagram.withUnsafeBytes(take) }
    }
}
