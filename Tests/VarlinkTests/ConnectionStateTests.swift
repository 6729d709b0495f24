import Testing

@testable import Varlink

struct ConnectionStateTests {
    private let second: UInt64 = 1_000_000_000
    private let call = CallRequest(method: "a.b.C").encoded

    private func state(_ change: (inout ServerLimits) -> Void = { _ in }) -> ConnectionState {
        var limits = ServerLimits()
        change(&limits)
        return ConnectionState(limits: limits)
    }

    @Test func `a second call waits until the first is over`() throws {
        var state = state()
        try state.receive(call + call, at: 0)
        #expect(try state.nextCall(at: 0)?.method == "a.b.C")
        #expect(try state.nextCall(at: 0) == nil)
        state.finishCall()
        #expect(try state.nextCall(at: 0) != nil)
        state.finishCall()
        #expect(try state.nextCall(at: 0) == nil)
    }

    @Test func `an unfinished message has thirty seconds from its first byte`() throws {
        var state = state()
        #expect(state.deadline == nil)
        try state.receive(call[..<3], at: 5 * second)
        try state.receive(call[3..<6], at: 20 * second)
        #expect(state.deadline == 35 * second)
        try state.receive(call[6...], at: 21 * second)
        #expect(state.deadline == nil)
    }

    @Test func `time in which nothing is read is not held against the client`() throws {
        var state = state { $0.maximumPipelinedBytes = call.count }
        try state.receive(call, at: 0)
        #expect(!state.wantsInput)
        state = self.state { $0.maximumPipelinedBytes = call.count }
        try state.receive(call + call + call[..<4], at: 0)
        #expect(try state.nextCall(at: 0) != nil)
        #expect(!state.wantsInput)
        #expect(state.deadline == nil)
        state.finishCall()
        #expect(try state.nextCall(at: 100 * second) != nil)
        #expect(state.wantsInput)
        #expect(state.deadline == 130 * second)
    }

    @Test func `after the end of input what came before is still answered`() throws {
        var state = state()
        try state.receive(call + call + call[..<4], at: 0)
        state.receiveEnd()
        #expect(!state.wantsInput)
        #expect(state.deadline == nil)
        for _ in 0..<2 {
            #expect(!state.isFinished)
            #expect(try state.nextCall(at: 0) != nil)
            #expect(!state.isFinished)
            state.finishCall()
        }
        #expect(state.isFinished)
    }
}
