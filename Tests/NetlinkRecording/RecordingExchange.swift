import Netlink

/// Notes what goes over another exchange.
public final class RecordingExchange: KernelExchange {
    private let exchange: any KernelExchange
    /// What is asked, for a person: said of the exchanges that follow.
    public var comment = ""
    /// What was asked and answered, each request once.
    public private(set) var exchanges: [NetlinkRecording.Exchange] = []
    private var known: Set<[UInt8]> = []

    /// Notes what goes over this one.
    public init(_ exchange: any KernelExchange) { self.exchange = exchange }

    /// Asks, and notes request and answer without their numbers.
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

    /// A datagram in whose messages the sequence number and the port are 0, also in the request that an error repeats.
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
