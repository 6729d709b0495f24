import Durations
import Glibc
import Interfaces
import JSONText
import Platform
import Varlink

/// The course of one call, over connections and restarts of the daemon: an input and the time in, effects out.
///
/// A call with parameters begins with a query of the daemon's protocol, because an older daemon would ignore a parameter
/// that it does not know: then it would report more than was requested. For an older daemon, the text of the interface
/// shows which parameters it knows.
struct Conversation {
    /// Which replies a call has.
    enum Replies {
        /// One, within a time if there is one.
        case one(within: Duration?)
        /// Any number. If the first one may be late, the call begins with the query of the protocol in any case, since
        /// otherwise nothing would show that the daemon is available.
        case many(firstIsLate: Bool)
        /// One for each declaration; the connection itself is the declaration's life.
        case declarations
    }

    /// Whether a call is repeated after the daemon was unavailable.
    enum Endurance {
        case once, onceBegun, always
    }

    /// What the owner has to do, in this order.
    enum Effect: Equatable {
        case connect
        case close
        case send(CallRequest)
        /// A reply with these parameters is for the program.
        case deliver(JSON)
        case interrupted(CallFailure)
        case resumed
        /// The last effect: nil for success.
        case end(CallFailure?)
    }

    private enum Phase: Equatable {
        case pausing(until: UInt64)
        case greeting, readingText
        /// The call is made; whether a reply to the present request is outstanding.
        case calling(isWaiting: Bool)
        case ended
    }

    /// How long a reply that depends on no event may take.
    static let answerTime = Duration.seconds(10)

    private let replies: Replies
    private let endurance: Endurance
    private var request: CallRequest
    private var phase = Phase.pausing(until: 0)
    private var pause = DoublingPause(first: .milliseconds(100), longest: .seconds(5))
    private var hasBegun = false
    private var isInterrupted = false
    private var isOutdated = false
    /// Monotonic nanoseconds after which `timerFired` has to be called; nil for never.
    private(set) var deadline: UInt64?

    init(_ request: CallRequest, _ replies: Replies, _ endurance: Endurance) {
        self.request = request
        self.replies = replies
        self.endurance = endurance
    }

    /// Sets the request of the next connection.
    mutating func update(_ request: CallRequest) { self.request = request }

    /// Makes another declaration.
    mutating func declare(_ request: CallRequest) -> [Effect] {
        self.request = request
        guard case .calling(let isWaiting) = phase else { return [] }
        if isWaiting {
            isOutdated = true
            return []
        }
        phase = .calling(isWaiting: true)
        return [.send(request)]
    }

    /// The connection is made.
    mutating func connected(at now: UInt64) -> [Effect] {
        let hasParameters = request.parameters.objectValue?.contains { !$0.value.isNull } == true
        let isSilent = if case .many(firstIsLate: true) = replies { true } else { false }
        guard hasParameters || isSilent else { return call(now) }
        phase = .greeting
        deadline = now.after(Self.answerTime)
        return [.send(CallRequest(method: "org.varlink.service.GetInfo"))]
    }

    /// The connection could not be made or has ended, or a message was too long.
    mutating func failed(_ failure: CallFailure, at now: UInt64) -> [Effect] {
        guard phase != .ended else { return [] }
        let isLasting = endurance == .always || endurance == .onceBegun && hasBegun
        guard isLasting, failure.isTemporary else { return end(failure) }
        let until = now.after(pause.nextAtRandom())
        phase = .pausing(until: until)
        deadline = until
        isOutdated = false
        if isInterrupted { return [.close] }
        isInterrupted = true
        return [.close, .interrupted(failure)]
    }

    /// The deadline has passed.
    mutating func timerFired(at now: UInt64) -> [Effect] {
        guard let deadline, now >= deadline else { return [] }
        self.deadline = nil
        if case .pausing = phase { return [.connect] }
        return failed(CallFailure(errno: ETIMEDOUT), at: now)
    }

    /// A reply was received.
    mutating func received(_ reply: Reply, at now: UInt64) -> [Effect] {
        pause.reset()
        let resumed: [Effect] = isInterrupted ? [.resumed] : []
        isInterrupted = false
        return resumed + handle(reply, now)
    }

    private mutating func handle(_ reply: Reply, _ now: UInt64) -> [Effect] {
        if let name = reply.error { return end(CallFailure(name: name, parameters: reply.parameters)) }
        switch phase {
        case .greeting:
            let spoken = reply.parameters["protocol"]?.integerValue ?? 0
            if spoken >= WaymarkVersion.protocolNumber { return call(now) }
            phase = .readingText
            return [
                .send(
                    CallRequest(
                        method: "org.varlink.service.GetInterfaceDescription",
                        parameters: ["interface": .string(request.interfaceName)]))
            ]
        case .readingText: return checked(reply.parameters["description"]?.stringValue ?? "", now)
        case .calling(isWaiting: true): return answered(reply, now)
        default: return end(CallFailure(errno: EPROTO))
        }
    }

    private mutating func checked(_ text: String, _ now: UInt64) -> [Effect] {
        let description: InterfaceDescription
        do throws(InterfaceSyntaxError) { description = try InterfaceDescription(parsing: text) } catch {
            return end(CallFailure(errno: EPROTO))
        }
        if let parameter = description.unknownParameter(request.parameters, of: request.methodName) {
            return end(CallFailure(unknownParameter: parameter, of: request.method))
        }
        return call(now)
    }

    private mutating func call(_ now: UInt64) -> [Effect] {
        phase = .calling(isWaiting: true)
        switch replies {
        case .one(let limit): deadline = limit.map { now.after($0) }
        case .many: deadline = nil
        case .declarations: deadline = now.after(Self.answerTime)
        }
        return [.send(request)]
    }

    private mutating func answered(_ reply: Reply, _ now: UInt64) -> [Effect] {
        hasBegun = true
        let delivery = Effect.deliver(reply.parameters)
        switch replies {
        case .one: return [delivery] + end(nil)
        case .many:
            if reply.continues { return [delivery] }
            // A stream has no last reply: the daemon is about to stop.
            return [delivery] + failed(CallFailure(errno: ECONNRESET), at: now)
        case .declarations:
            if reply.continues { return end(CallFailure(errno: EPROTO)) }
            guard isOutdated else {
                phase = .calling(isWaiting: false)
                deadline = nil
                return [delivery]
            }
            isOutdated = false
            deadline = now.after(Self.answerTime)
            return [.send(request)]
        }
    }

    private mutating func end(_ failure: CallFailure?) -> [Effect] {
        phase = .ended
        deadline = nil
        return [.close, .end(failure)]
    }
}
