import Glibc
import Interfaces
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// A daemon whose user's programs watch as many files as the kernel lets them.
@Suite(
    .waits,
    .enabled(if: InotifyInstances.canBeAdopted, "only root can run as another user and use up that user's instances"))
struct WatchLimitTests {
    @Test func `unwatched folders are reported, and watched again as soon as that is possible`() throws {
        let apps = try TestApps()
        let taken = try InotifyInstances()
        var surroundings = DaemonSurroundings()
        surroundings.user = InotifyInstances.user
        // The folder of the build may be closed to others.
        surroundings.program = try apps.program("waymarkd", of: "waymarkd")
        let daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration() + "[Reachability]\nNetworkManager=no\n",
            surroundings: surroundings)
        let client = try Client(path: daemon.socketPath, timeout: .seconds(60))
        func status() throws -> DaemonStatus {
            try client.call(ManageInterface.Status(), timeout: .seconds(60)).status
        }
        func unnoticed() throws -> [String] {
            let status = try status()
            let problems = [status.authorization.problem, status.network?.problem].compactMap(\.self)
            return problems.flatMap { $0.split(separator: "; changes").map(String.init) }
        }

        let atFirst = try unnoticed()
        try #require(atFirst.count == 3, "\(atFirst)\n\(daemon.log)")
        for (problem, what) in zip(atFirst, ["the manifests", "the restrictions", "/etc/resolv.conf"]) {
            #expect(problem.contains("of \(what) are not noticed: inotify_init: "))
            #expect(problem.contains("fs.inotify.max_user_instances"))
        }
        try apps.add("map", name: "Map", program: "/usr/bin/true")
        #expect(try status().authorization.apps == 0)
        // The daemon tries again repeatedly, without success.
        #expect(eventually(within: 30) { daemon.log.split(separator: "trying again in 2.0 seconds").count > 3 })
        #expect(try unnoticed() == atFirst)
        taken.giveBack()
        #expect(try eventually(within: 60) { try unnoticed().isEmpty }, "\(daemon.log)")
        #expect(try status().authorization.apps == 1)
        try apps.add("log", name: "Log", program: "/usr/bin/false")
        #expect(try eventually { try status().authorization.apps == 2 })
    }
}
