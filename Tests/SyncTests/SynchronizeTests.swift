import Glibc
import Platform
import TestHubs
import TestSupport
import TestTraits
import Testing

/// The request to synchronize at once.
@Suite(.waits, .timeLimit(.minutes(5))) struct SynchronizeTests {
    @Test func `a synchronization that is requested while a connection is being lost succeeds over another one`()
        async throws
    {
        let hub = try HubProcess()
        let relay = try LimitingRelay(to: hub.port)
        let machine = try SyncProcess()
        try machine.join(hub, as: "laptop", address: "http://127.0.0.1:\(relay.port)")
        try machine.makeZone()
        try machine.synchronize()
        relay.permit(requests: 0)
        try machine.save("n1", "milk")
        // Its first request after a start is on a new connection, so that libcurl does not repeat it by itself.
        try machine.crash()
        #expect(try eventually { try machine.status().activity == "fetching" })
        let program = try UnixSocket.connect(path: machine.socket)
        let call = Array(#"{"method":"io.waymark.Sync.Synchronize"}"#.utf8) + [0]
        #expect(write(program.number, call, call.count) == call.count)
        // The reply to a later call shows that this one was received.
        #expect(try machine.status().activity == "fetching")
        relay.cut()
        relay.permit()
        #expect(try PollDeadline(seconds: 60).poll(program.number, for: POLLIN))
        var reply = [UInt8](repeating: 0, count: 1_000)
        let count = read(program.number, &reply, reply.count)
        #expect(String(decoding: reply.prefix(max(0, count)), as: UTF8.self) == "{\"parameters\":{}}\0")
        #expect(try machine.unsent() == 0)
    }
}
