import Glibc
import Interfaces
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Inferring from the numbers of one's own events what happened to others and to the receiver in between.
@Suite(.waits, .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct EventNumberTests {
    private func events(_ reply: Reply?) -> [(number: Int64, kind: String)] {
        (reply?.parameters["events"]?.arrayValue ?? []).compactMap { event in
            event["sequence"]?.integerValue.map { ($0, event["kind"]?.stringValue ?? "") }
        }
    }

    @Test func `an undetermined app's events have no gap between them where others are recorded`() throws {
        let apps = try TestApps()
        let (spy, walker) = (try apps.program("spy"), try apps.program("walker"))
        try apps.add("spy", name: "Spy", program: spy)
        try apps.add("walker", name: "Walker", program: walker)
        let daemon = try DaemonProcess(in: apps.directory, configuration: apps.configuration())
        let operators = try Client(path: daemon.socketPath, timeout: .seconds(60))
        let follower = try AppClient(spy, to: daemon.socketPath)
        try follower.begin(JournalInterface.Method.read.rawValue, #"{"follow":true}"#, more: true)
        var followed = events(try follower.next())
        let app = try AppClient(spy, to: daemon.socketPath)
        for round in 0..<8 {
            let activity = round % 2 == 0 ? "active" : "background"
            #expect(
                try app.call(LocationInterface.Method.setActivity.rawValue, #"{"activity":"\#(activity)"}"#).error
                    == nil)
            // The app must not notice this: a remark, like the loss of a fix, which an operator sees, too.
            for _ in 0..<round % 3 {
                _ = try operators.call(
                    JournalInterface.Method.note.rawValue, ["text": "in the tunnel"], timeout: .seconds(60))
            }
            if round == 4 {
                try AppClient(walker, to: daemon.socketPath).call(LocationInterface.Method.getAuthorization.rawValue)
            }
        }
        let own = events(try app.call(JournalInterface.Method.read.rawValue))
        #expect(own.count >= 2, "\(own)")
        for (event, next) in zip(own, own.dropFirst()) { #expect(next.number == event.number + 1, "\(own)") }
        // The follower has the same numbers, and its cursor is one of them.
        while followed.count < own.count, let reply = try follower.next() { followed += events(reply) }
        #expect(followed.map(\.number) == own.map(\.number))
        let middle = own[own.count / 2].number
        let rest = events(try app.call(JournalInterface.Method.read.rawValue, #"{"after":\#(middle)}"#))
        #expect(rest.first?.number == (own.last?.number == middle ? nil : middle + 1))

        let all =
            try operators.call(JournalInterface.Method.read.rawValue, timeout: .seconds(60))["events"]?.arrayValue ?? []
        #expect(all.compactMap { $0["sequence"]?.integerValue } == Array(1...Int64(all.count)))
    }
}
