import CWaymark
import Glibc
import Interfaces
import Location
import NetworkPaths
import Platform
import Testing

@testable import LibWaymark

/// The numbers of `waymark.h` for the words of the interfaces.
struct NumberTests {
    @Test func `every error of the offered interfaces has a number and a sentence of its own`() {
        let offered = ErrorName.allCases.filter { name in
            ["Location.", "Regions.", "Reachability.", "Waking.", "Identity."].contains {
                name.rawValue.hasPrefix("io.waymark.\($0)")
            }
        }
        // Errors of calls that the library does not make.
        let others: Set<ErrorName> = [.regionsAppNeeded, .regionsNothingStaged, .wakingNoSuchApp]
        for name in offered where !others.contains(name) {
            let code = ErrorCode.code(of: name.rawValue)
            #expect(code < -10_000, "\(name)")
            #expect(ErrorCode.message(code) != ErrorCode.message(-10_000), "\(name)")
        }
        #expect(ErrorCode.code(of: "io.example.Unheard") == -10_000)
        #expect(ErrorCode.code(of: "org.varlink.service.MethodNotFound") == ErrorCode.incompatible)
    }

    @Test func `the errors of waymark-sync have numbers, and its failures name it`() {
        let codes = ["NotAllowed", "NoAccount", "NetworkUnavailable", "ProtectedDataUnavailable", "NotStored"].map {
            ErrorCode.code(of: "io.waymark.Sync.\($0)")
        }
        #expect(codes == [-10_036, -10_037, -10_038, -10_029, -10_011])
        #expect(ErrorCode.code(of: "io.waymark.Sync.InvalidArgument") == -EINVAL)
        #expect(ErrorCode.code(of: "io.waymark.Sync.ZoneNotFound") == -10_000)
        for code in [-ENOENT, -ECONNRESET, -ETIMEDOUT, -EPROTO, -10_000, ErrorCode.incompatible] {
            #expect(ErrorCode.message(code, of: .sync("/s")).contains("waymark-sync"), "\(code)")
            #expect(ErrorCode.message(code).contains("Waymark daemon"), "\(code)")
        }
        let absent = CallFailure(SystemError("connect", code: ENOENT), to: .sync("/s"), socketPath: "/s")
        #expect(absent.message(of: .sync("/s")).contains("waymark-sync does not run: no program listens on /s"))
    }

    @Test func `every status and obstacle of tracking has a number, and a word of a later release one in common`() {
        let memory = EventMemory()
        let statuses = TrackingAuthorizationStatus.allCases.map { waymark_tracking($0, memory).status }
        #expect(statuses == [0, 1, 2, 3])
        let obstacles = IdentityInterface.TrackingObstacle.known.map {
            waymark_tracking(.notDetermined, obstacle: $0, memory).obstacle
        }
        #expect(obstacles == [1, 2, 3])
        let later = waymark_tracking(
            .notDetermined, obstacle: IdentityInterface.TrackingObstacle(rawValue: "aLaterWord"), memory)
        #expect(later.obstacle == 4 && String(cString: later.obstacle_word) == "aLaterWord")
        #expect(waymark_tracking(.denied, memory).obstacle_word == nil)
    }

    @Test func `every cause has a number, and one of a later release has one in common`() {
        let numbers = WakingInterface.Cause.known.map { WakeCauses.number($0) }
        #expect(numbers == [1, 2, 3, 4, 5, 6])
        #expect(WakeCauses.number(WakingInterface.Cause(rawValue: "aLaterWord")) == 7)
        #expect(WakeCauses.number(nil) == 0)
    }

    @Test func `every diagnostic has a bit, and one of a later release has none`() {
        let bits = LocationDiagnostic.known.map { DiagnosticBits.bits(of: [$0]) }
        #expect(bits.allSatisfy { $0.nonzeroBitCount == 1 } && Set(bits).count == bits.count)
        #expect(DiagnosticBits.bits(of: [LocationDiagnostic(rawValue: "aLaterWord")]) == 0)
    }

    @Test func `a number of errno has the sentence of the system`() {
        #expect(ErrorCode.message(0) == "Success.")
        #expect(ErrorCode.message(-EMFILE) == "Too many open files.")
        #expect(ErrorCode.message(-ENOENT).contains("does not run"))
        #expect(ErrorCode.message(Int32.min) == "An unknown error.")
    }
}
