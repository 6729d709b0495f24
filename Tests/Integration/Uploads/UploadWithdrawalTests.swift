import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing

/// A denial while the destination is unavailable: positions that the uploader holds are not sent later, however many.
@Suite(.waits, .timeLimit(.minutes(15))) struct UploadWithdrawalTests {
    /// The actions by which a person or an operator withdraws the authorization.
    enum No: String, CaseIterable {
        case denied, servicesOff, restricted, fullAccuracyForbidden, erased
    }

    @Test(arguments: No.allCases)
    func `after a denial an uploader sends no position that it holds, whenever a path is available again`(_ no: No)
        throws
    {
        let scene = try UploadScene(pace: 4)
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(1)
        try scene.server.kill()
        // It holds 256 at most, and reads nothing any more from 193 on.
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 300 }
        let id = try #require(try scene.recording()?.id)
        let before = try scene.server.storedIDs().count
        switch no {
        case .denied: try scene.authorize(.deny)
        case .servicesOff: _ = try scene.waymark("services", "off")
        case .restricted: try scene.apps.restrict("[Restrictions]\nDenyApps=carrier\n")
        case .fullAccuracyForbidden: try scene.apps.restrict("[Restrictions]\nForbidFullAccuracy=yes\n")
        case .erased: _ = try scene.waymark("recording", "erase", "home", "--app", "carrier", "--yes")
        }
        if no == .erased {
            try scene.eventually("it began again") { try scene.recording().map { $0.id != id } ?? false }
        } else {
            try scene.eventually("it says so") { try scene.upload()?.status.state == "waitingForRecording" }
        }
        try scene.server.restart()
        try scene.command(.flush)
        if no != .erased { #expect(try scene.server.storedIDs().count == before) }
        switch no {
        case .denied: try scene.authorize(.always)
        case .servicesOff: _ = try scene.waymark("services", "on")
        case .restricted, .fullAccuracyForbidden: try scene.apps.restrict(nil)
        case .erased: break
        }
        try scene.waitForPoints(before + 5)
        let old = try scene.server.storedIDs().filter { $0.hasPrefix("\(id)/") }.count
        // Other recordings are not affected.
        let stays = [.servicesOff, .restricted, .fullAccuracyForbidden].contains(no)
        #expect(stays ? old > before : old == before)
    }

    @Test func `while recording is forbidden no recorded position is sent, and all are sent afterwards`() throws {
        let scene = try UploadScene()
        defer { scene.end() }
        try scene.start(scene.configuration("overland"))
        try scene.waitForPoints(1)
        try scene.server.kill()
        try scene.eventually("a backlog") { try scene.recording()?.waiting ?? 0 > 20 }
        try scene.uploader?.kill()
        try scene.apps.restrict("[Restrictions]\nForbidRecording=yes\n")
        try scene.eventually("nothing is recorded") { try scene.recording()?.state == "restricted" }
        let before = try scene.numbers().count
        let last = try #require(try scene.recording()?.last)
        try scene.server.restart()
        try scene.uploader?.restart()
        try scene.eventually("the uploader reports that it waits") {
            try scene.upload()?.status.state == "waitingForRecording"
        }
        #expect(try scene.numbers().count == before)
        try scene.apps.restrict(nil)
        try scene.eventually("recording continues") { try scene.recording()?.state == "recording" }
        try scene.uploader?.kill()
        try scene.uploader?.restart()
        try scene.eventually("all is sent") { Set(try scene.numbers()).isSuperset(of: 1...last) }
    }
}
