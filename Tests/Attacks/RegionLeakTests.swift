import Glibc
import Interfaces
import Platform
import Testing
import TestClients
import TestSupport
import TestTraits
import Varlink

/// Attempts of an app with reduced accuracy, or without any, to learn from regions where the machine is.
@Suite(.waits, .timeLimit(.minutes(15)), .enabled(if: OtherUser.isPossible, "connecting as another user needs root"))
struct RegionLeakTests {
    enum Access: CaseIterable {
        case reduced, denied, notInUse, forbidden
    }

    private static let calls = [
        RegionsInterface.Method.add.rawValue:
            #"{"monitor":"m","regions":[\#(RegionScene.circle("yard", north: 0)),\#(RegionScene.circle("sea", north: 0, radius: 5_000_000))]}"#,
        RegionsInterface.Method.list.rawValue: "{}",
        RegionsInterface.Method.show.rawValue: #"{"monitor":"m","coordinates":true}"#,
        RegionsInterface.Method.acknowledge.rawValue: #"{"monitor":"m","upTo":0}"#,
        RegionsInterface.Method.remove.rawValue: #"{"monitor":"m","identifiers":["yard"]}"#,
    ]

    /// Everything that the app receives, with the machine at this place, and moving or not.
    private func transcript(_ access: Access, north: Double, speed: Double) throws -> [String] {
        let apps = try TestApps()
        try apps.add("trailmap", name: "Trail Map", program: try TestApps.ownProgram())
        let scene = try RegionScene(in: apps.directory, configuration: apps.configuration(), knowsLogins: false)
        let manage = try OperatorClient(scene.daemon)
        // An operator's program keeps the receiver in use.
        let reader = try AppClient(try apps.program("reader"), to: scene.daemon.socketPath, as: geteuid())
        try reader.begin(LocationInterface.Method.monitor.rawValue, more: true)
        try scene.waitForDemand()
        switch access {
        case .reduced: try manage.authorize("trailmap", .always, uid: OtherUser.nobody, accuracy: .reduced)
        case .denied: try manage.authorize("trailmap", .deny, uid: OtherUser.nobody)
        case .notInUse: try manage.authorize("trailmap", .whileUsing, uid: OtherUser.nobody)
        case .forbidden:
            try manage.authorize("trailmap", .always, uid: OtherUser.nobody)
            try apps.restrict("[Restrictions]\nForbidRegions=yes\n")
        }
        let app = try RawConnection(adopting: OtherUser.connect(to: scene.daemon.socketPath))
        var transcript: [String] = []
        func call(_ method: String, more: Bool = false) throws {
            let parameters = Self.calls[method] ?? #"{"monitor":"m"}"#
            let text = #"{"method":"\#(method)","parameters":\#(parameters),"more":\#(more)}"#
            #expect(try app.send(message: text) == .everything)
            let reply = try #require(try app.read(messages: 1), "\(scene.daemon.log)")
            transcript.append("\(method): \(reply)")
        }
        if access == .forbidden {
            let isForbidden = try eventually(within: Patience.daemon) {
                try call(RegionsInterface.Method.add.rawValue)
                try call(RegionsInterface.Method.list.rawValue)
                return transcript.last?.contains("restricted") == true
            }
            #expect(isForbidden)
            transcript = []
        }
        for step in 0..<4 {
            for second in 0..<5 {
                let time = step * 60 + second
                scene.gpsd.send(scene.report(time, north: north + speed * Double(time), speed: speed))
            }
            // The reports are delivered before the next calls.
            var received = 0
            while received < 5, let reply = try reader.next() {
                let position = reply.parameters["update"]?["position"]?["timestamp"]?.numberValue
                if let position, position >= Double(scene.start) / 1e6 + Double(step * 60 + 4) { received = 5 }
            }
            for method in Self.calls.keys.sorted() { try call(method) }
            if access != .notInUse { try call(RegionsInterface.Method.monitor.rawValue, more: true) }
        }
        return transcript
    }

    @Test(arguments: Access.allCases)
    func `replies and errors are the same inside, outside and crossing a border`(_ access: Access) throws {
        let inside = try transcript(access, north: 0, speed: 0)
        #expect(inside.count >= 20)
        #expect(!inside.contains { $0.contains("inside") || $0.contains("outside") || $0.contains("\"sequence\"") })
        #expect(try transcript(access, north: -8_000_000, speed: 0) == inside)
        #expect(try transcript(access, north: -150, speed: 2) == inside)
    }
}
