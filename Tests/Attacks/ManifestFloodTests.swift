import Glibc
import Interfaces
import Location
import Platform
import TestClients
import TestSupport
import TestTraits
import Testing
import Varlink

/// Manifests in homes that are as many and as long as they may be, or that change without end.
@Suite(
    .waits, .serialized,
    .enabled(
        if: PersonalScene.isPossible && DaemonSurroundings.seesProgramsFromOwnMounts,
        "connecting as another user and mounting another user database need root"))
struct ManifestFloodTests {
    private static let first: UInt32 = 45_000

    private let apps: TestApps
    private let program: String

    init() throws {
        apps = try TestApps()
        program = try apps.program("trailmap")
        try apps.add("trailmap", name: "Trail Map", program: program)
    }

    private func folder(_ user: UInt32) -> String { "home\(user)/.config/waymark/apps" }

    /// Creates homes for this number of users, and returns the users.
    private func makeHomes(_ count: Int) throws -> [UInt32] {
        let users = (0..<count).map { Self.first + UInt32($0) }
        var database = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n"
        for user in users {
            try apps.directory.write("\(folder(user))/README", "")
            var path = "home\(user)"
            for part in ["", "/.config", "/waymark", "/apps"] {
                path += part
                #expect(chown(apps.directory.file(path), user, user) == 0)
            }
            database += "user\(user):x:\(user):\(user)::\(apps.directory.file("home\(user)")):/bin/sh\n"
        }
        try apps.directory.write("passwd", database)
        return users
    }

    private func write(_ name: String, _ text: String, of user: UInt32) throws {
        let path = try apps.directory.write("\(folder(user))/\(name).app", text)
        #expect(chown(path, user, user) == 0)
    }

    private func start(gpsd: String = "none") throws -> DaemonProcess {
        var surroundings = DaemonSurroundings()
        surroundings.userDatabase = apps.directory.file("passwd")
        return try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(personalManifests: true), gpsd: gpsd,
            logLevel: "warning",
            knowsLogins: false, surroundings: surroundings)
    }

    /// A manifest of at most this number of bytes, all of which has to be stored: texts in very many languages.
    private func translated(_ number: Int, bytes: Int) -> String {
        var text = "[App]\nName=Map \(number)\nExec=/usr/bin/map\(number)\nWhenInUseUsageDescription=Shows the way.\n"
        var language = 0
        while true {
            let (a, b, c) = (language / 676 % 26, language / 26 % 26, language % 26)
            let letters = String(decoding: [a, b, c].map { UInt8(97 + $0) }, as: UTF8.self)
            let line = "Name[\(letters)]=Map\nWhenInUseUsageDescription[\(letters)]=Way\n"
            guard text.utf8.count + line.utf8.count <= bytes else { return text }
            text += line
            language += 1
        }
    }

    /// A manifest of this number of bytes that contains only mistakes.
    private func mistaken(_ number: Int, bytes: Int) -> String {
        var text = "[App]\nName=Map \(number)\nExec=/usr/bin/map\(number)\n"
        var line = 0
        while text.utf8.count < bytes - 16 {
            text += "X\(line)=1\n"
            line += 1
        }
        return text
    }

    @Test(arguments: [false, true])
    func `homes with all that they may have cost the daemon less than a megabyte each`(isMistaken: Bool) throws {
        let users = try makeHomes(24)
        for user in users {
            for number in 0..<64 {
                let text = isMistaken ? mistaken(number, bytes: 4_096) : translated(number, bytes: 4_096)
                try write("map\(100 + number)", text, of: user)
            }
        }
        let daemon = try start()
        let before = try ProcessFigures(daemon.processID).anonymousKiB
        for user in users {
            let client = try AppClient(program, to: daemon.socketPath, as: user)
            #expect(try client.call(LocationInterface.Method.getAuthorization.rawValue).error == nil)
        }
        let grown = try ProcessFigures(daemon.processID).anonymousKiB - before
        // The texts alone have 256 KiB for each home, and stay on the disk; the list of mistakes is bounded. The threads that
        // read the homes leave up to a megabyte with the allocator, more of it if several of them run at once.
        if !Sanitizer.isActive { #expect(grown < 1_024 + users.count * (isMistaken ? 512 : 192), "\(grown) KiB") }
        #expect(try OperatorClient(daemon).app("trailmap") != nil)
    }

    @Test func `files beyond 64 or 256 KiB of a user are ignored, and others' apps continue`() throws {
        let users = try makeHomes(2)
        for number in 0..<65 { try write("map\(100 + number)", translated(number, bytes: 256), of: users[0]) }
        for number in 0..<20 { try write("map\(100 + number)", translated(number, bytes: 32 << 10), of: users[1]) }
        let daemon = try start()
        for user in users {
            let client = try AppClient(program, to: daemon.socketPath, as: user)
            #expect(try client.call(LocationInterface.Method.getAuthorization.rawValue).error == nil)
        }
        let list = try OperatorClient(daemon).list()
        #expect(!list.apps.contains { $0.uid == users[0] && $0.id.hasPrefix("map") })
        let counted = list.apps.filter { $0.uid == users[1] && $0.id.hasPrefix("map") }.map(\.id).sorted()
        #expect(counted.isEmpty || counted == (0..<8).map { "map\(100 + $0)" }, "\(counted)")
        let problems = list.problems.joined(separator: "\n")
        #expect(problems.contains("home\(users[0])") && problems.contains("256 KiB in all"), "\(problems)")
    }

    @Test func `manifests that are touched twenty times a second cost another user's stream nothing`() throws {
        let users = try makeHomes(1)
        for number in 0..<64 { try write("map\(100 + number)", translated(number, bytes: 4_096), of: users[0]) }
        let receiver = try PlayedReceiver.tenHertz()
        let daemon = try start(gpsd: receiver.address)
        #expect(
            try AppClient(program, to: daemon.socketPath, as: users[0]).call(
                LocationInterface.Method.getAuthorization.rawValue
            )
            .error
                == nil)
        try OperatorClient(daemon).authorize("trailmap", .always, uid: OtherUser.nobody)
        let stream = try AppClient(program, to: daemon.socketPath)
        try stream.begin(LocationInterface.Method.monitor.rawValue, more: true)
        #expect(try stream.next()?.error == nil)
        let clock = SystemClock()
        let before = try ProcessFigures(daemon.processID).processorMilliseconds
        let began = clock.monotonicNanoseconds
        var last = before
        var longest = 0
        for number in 0..<100 {
            for half in 0..<2 { try write("map\(100 + half)", translated(number, bytes: 4_096), of: users[0]) }
            #expect(try stream.next()?.error == nil)
            let now = try ProcessFigures(daemon.processID).processorMilliseconds
            longest = max(longest, now - last)
            last = now
        }
        let used = last - before
        let wall = Int((clock.monotonicNanoseconds - began) / 1_000_000)
        #expect(longest < 1_000, "\(longest) ms of processor time between two positions")
        if !Sanitizer.isActive { #expect(used < wall / 4, "\(used) of \(wall) ms") }
    }
}
