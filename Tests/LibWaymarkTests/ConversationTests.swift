import Durations
import Glibc
import Interfaces
import JSONText
import Location
import Testing
import Varlink

@testable import LibWaymark

/// The course of a call of the C library, without a connection or a clock.
struct ConversationTests {
    private let path = CallRequest(ReachabilityInterface.MonitorPath(), more: true)
    private let filtered = CallRequest(LocationInterface.Monitor(distanceFilter: 10), more: true)
    private let info = CallRequest(method: "org.varlink.service.GetInfo")

    private func reply(_ text: String) throws -> Reply { try Reply(parsing: Array(text.utf8)) }

    @Test func `a call without parameters is made at once`() throws {
        var conversation = Conversation(path, .many(firstIsLate: false), .always)
        #expect(conversation.connected(at: 0) == [.send(path)])
        #expect(conversation.deadline == nil, "a stream may be silent")
        let effects = conversation.received(try reply(#"{"parameters":{"a":1},"continues":true}"#), at: 1)
        #expect(effects == [.deliver(["a": 1])])
    }

    @Test func `a call with parameters is made when the protocol is known`() throws {
        var conversation = Conversation(filtered, .many(firstIsLate: false), .always)
        #expect(conversation.connected(at: 0) == [.send(info)])
        #expect(conversation.received(try reply(#"{"parameters":{"protocol":1}}"#), at: 1) == [.send(filtered)])
    }

    @Test func `a parameter that an older daemon would ignore is not sent`() throws {
        var conversation = Conversation(filtered, .many(firstIsLate: false), .always)
        _ = conversation.connected(at: 0)
        let query = conversation.received(try reply(#"{"parameters":{"protocol":0}}"#), at: 1)
        guard case .send(let request)? = query.first else {
            Issue.record("\(query)")
            return
        }
        #expect(request.parameters["interface"] == "io.waymark.Location")
        let text = "interface io.waymark.Location\\nmethod Monitor(interval: ?float) -> ()\\n"
        let end = conversation.received(try reply(#"{"parameters":{"description":"\#(text)"}}"#), at: 2)
        guard case .end(let failure?)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(failure.code == ErrorCode.incompatible && failure.message(of: .daemon).contains("distanceFilter"))
        // With the parameter in the text, the call is made.
        var other = Conversation(filtered, .many(firstIsLate: false), .always)
        _ = other.connected(at: 0)
        _ = other.received(try reply(#"{"parameters":{"protocol":0}}"#), at: 1)
        let known = text.replacing("interval", with: "distanceFilter")
        #expect(
            other.received(try reply(#"{"parameters":{"description":"\#(known)"}}"#), at: 2) == [.send(filtered)])
    }

    @Test func `an interruption is reported once, and the end of it once`() throws {
        var conversation = Conversation(path, .many(firstIsLate: false), .always)
        let absence = CallFailure(errno: ENOENT)
        #expect(conversation.failed(absence, at: 0) == [.close, .interrupted(absence)])
        let first = try #require(conversation.deadline)
        #expect((50_000_000...100_000_000).contains(first), "a first pause of 0.05 s to 0.1 s")
        #expect(conversation.timerFired(at: first - 1) == [])
        #expect(conversation.timerFired(at: first) == [.connect])
        #expect(conversation.failed(absence, at: first) == [.close], "a second failure is the same interruption")
        _ = conversation.connected(at: first)
        let news = try reply(#"{"parameters":{},"continues":true}"#)
        #expect(conversation.received(news, at: first) == [.resumed, .deliver([:])])
        #expect(conversation.received(news, at: first) == [.deliver([:])])
    }

    @Test func `the pauses between attempts grow to five seconds at most`() {
        var conversation = Conversation(path, .many(firstIsLate: false), .always)
        var now: UInt64 = 0
        var longest: UInt64 = 0
        for _ in 0..<20 {
            _ = conversation.failed(CallFailure(errno: ECONNREFUSED), at: now)
            longest = max(longest, (conversation.deadline ?? 0) - now)
            now = conversation.deadline ?? 0
            #expect(conversation.timerFired(at: now) == [.connect])
        }
        #expect((2_500_000_000...5_000_000_000).contains(longest))
    }

    @Test(arguments: [EACCES, EPERM, EPROTO, EMSGSIZE, ENAMETOOLONG])
    func `an error that stays ends the call`(_ code: Int32) {
        var conversation = Conversation(path, .many(firstIsLate: false), .always)
        let failure = CallFailure(errno: code)
        #expect(conversation.failed(failure, at: 0) == [.close, .end(failure)])
        #expect(conversation.failed(failure, at: 0) == [], "a call ends once")
        #expect(conversation.deadline == nil)
    }

    @Test func `an error of the daemon ends the call, also one that lasts`() throws {
        var conversation = Conversation(path, .many(firstIsLate: false), .always)
        _ = conversation.connected(at: 0)
        let refusal = try reply(#"{"error":"io.waymark.Location.Denied","parameters":{"message":"No."}}"#)
        let failure = CallFailure(code: -10_001, name: "io.waymark.Location.Denied", message: "No.")
        #expect(conversation.received(refusal, at: 1) == [.close, .end(failure)])
    }

    @Test func `a call with one reply has ten seconds, and is not repeated`() throws {
        let request = CallRequest(ReachabilityInterface.GetPath())
        var conversation = Conversation(request, .one(within: .seconds(10)), .once)
        _ = conversation.connected(at: 5)
        #expect(conversation.deadline == 10_000_000_005)
        var late = conversation
        #expect(late.timerFired(at: 10_000_000_005) == [.close, .end(CallFailure(errno: ETIMEDOUT))])
        #expect(conversation.received(try reply("{}"), at: 6) == [.deliver([:]), .close, .end(nil)])
        var lost = Conversation(request, .one(within: nil), .once)
        _ = lost.connected(at: 0)
        #expect(lost.deadline == nil, "a person may think for long")
        let failure = CallFailure(errno: ECONNRESET)
        #expect(lost.failed(failure, at: 1) == [.close, .end(failure)])
    }

    @Test func `a session that never began is not begun again`() throws {
        let request = CallRequest(LocationInterface.HoldInUse(), more: true)
        let loss = CallFailure(errno: ECONNRESET)
        var unbegun = Conversation(request, .many(firstIsLate: false), .onceBegun)
        _ = unbegun.connected(at: 0)
        #expect(unbegun.failed(loss, at: 1) == [.close, .end(loss)])
        var begun = Conversation(request, .many(firstIsLate: false), .onceBegun)
        _ = begun.connected(at: 0)
        _ = begun.received(try reply(#"{"continues":true}"#), at: 1)
        #expect(begun.failed(loss, at: 2) == [.close, .interrupted(loss)])
    }

    @Test func `of declarations made meanwhile only the last is sent`() throws {
        func request(_ activity: Activity) -> CallRequest {
            CallRequest(LocationInterface.SetActivity(activity: activity))
        }
        var conversation = Conversation(request(.active), .declarations, .always)
        _ = conversation.connected(at: 0)
        #expect(conversation.declare(request(.suspended)) == [], "the protocol is not known yet")
        #expect(
            conversation.received(try reply(#"{"parameters":{"protocol":1}}"#), at: 1) == [.send(request(.suspended))])
        #expect(conversation.declare(request(.background)) == [])
        #expect(conversation.declare(request(.inactive)) == [])
        #expect(conversation.received(try reply("{}"), at: 2) == [.send(request(.inactive))])
        #expect(conversation.received(try reply("{}"), at: 3) == [.deliver([:])])
        #expect(conversation.deadline == nil)
        #expect(conversation.declare(request(.active)) == [.send(request(.active))])
    }

    @Test func `a reply without a call ends the call`() throws {
        var conversation = Conversation(path, .many(firstIsLate: false), .always)
        let effects = conversation.received(try reply("{}"), at: 0)
        #expect(effects == [.close, .end(CallFailure(errno: EPROTO))])
    }
}
