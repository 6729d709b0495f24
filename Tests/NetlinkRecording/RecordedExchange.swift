import Netlink

/// Answers what a recording knows the answer to, and nothing else.
public final class RecordedExchange: KernelExchange {
    private var answers: [[UInt8]: [[UInt8]]] = [:]
    /// Requests that the recording has no answer to.
    public private(set) var unknown: [[UInt8]] = []

    /// Answers as this recording does.
    public init(_ recording: NetlinkRecording) {
        for exchange in recording.exchanges { answers[exchange.request] = exchange.answer }
    }

    /// A kernel that answers so.
    public var kernel: KernelInquiry { KernelInquiry(exchange: self, readsDeviceTypes: false) }

    /// Hands on the datagrams that answered the same request.
    public func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let answer = answers[Array(request)] else {
            unknown.append(Array(request))
            return false
        }
        return answer.contains { datagram in datagram.withUnsafeBytes(take) }
    }
}
