import Netlink

/// Records the requests and replies of another exchange.
public final class RecordingExchange: KernelExchange {
    private let exchange: any KernelExchange
    /// A description of the following exchanges, for people.
    public var comment = ""
    /// The recorded requests with their replies, each request once.
    public private(set) var exchanges: [NetlinkRecording.Exchange] = []
    private var known: Set<[UInt8]> = []

    /// Records this exchange.
    public init(_ exchange: any KernelExchange) { self.exchange = exchange }

    /// Sends a request, and records it and its reply without sequence numbers and ports.
    public func perform(_ request: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        let queried = Array(request)
        var answer: [[UInt8]] = []
        let isAnswered = exchange.perform(request) { datagram in
            answer.append(Self.withoutNumbers(datagram))
            return take(datagram)
        }
        if known.insert(queried).inserted {
            exchanges.append(
                NetlinkRecording.Exchange(comment: comment, request: queried, answer: isAnswered ? answer : []))
        }
        return isAnswered
    }

    /// A datagram with sequence numbers and ports set to 0, including those in the request that an error message
    /// repeats.
    public static func withoutNumbers(_ datagram: UnsafeRawBufferPointer) -> [UInt8] {
        // struct nlmsghdr: length, type, flags, sequence number, port; struct nlmsgerr: number, header.
        let (headerLength, errorType) = (16, 2)
        var bytes = Array(datagram)
        func zero(_ start: Int) { for index in start + 8..<start + headerLength { bytes[index] = 0 } }
        var start = 0
        while start + headerLength <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << ($1 * 8) }
            guard length >= headerLength, start + length <= bytes.count else { break }
            zero(start)
            let type = Int(bytes[start + 4]) | Int(bytes[start + 5]) << 8
            if type == errorType, length >= 2 * headerLength + 4 { zero(start + headerLength + 4) }
            start += (length + 3) & ~3
        }
        return bytes
    }
}
