import Glibc
import Platform
import TestSupport
import Testing

@testable import Configuration

/// Configuration files in temporary folders.
@Suite struct ConfigurationFileTests {
    private func makeDirectory(in folder: TemporaryDirectory, _ name: String) throws(SystemError) -> String {
        let path = folder.file(name)
        try retrying("make", subject: path) { mkdir(path, 0o755) }
        return path
    }

    @Test func `without any file the configuration is valid`() throws {
        let folder = try TemporaryDirectory()
        let configuration = Configuration.load(mainFile: folder.file("waymark.conf"))
        #expect(configuration.problems == [])
        #expect(configuration.files == [])
        #expect(configuration.settings == Settings())
        #expect(configuration.source(of: \.journal.stateDirectory) == .builtIn)
    }

    @Test func `a named file that is missing is a problem`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("waymark.conf")
        let configuration = Configuration.load(mainFile: path, isExplicit: true)
        #expect(configuration.problems.map(\.description) == ["\(path): there is no such file"])
    }

    @Test func `drop-ins are read after the main file in the order of their names, and override it`() throws {
        let folder = try TemporaryDirectory()
        let main = try folder.write("waymark.conf", "[Log]\nLevel=error\n[Socket]\nMode=0600\n[Journal]\nMaximumAge=1d")
        // Written in another order than the order of reading.
        let last = try folder.write("waymark.conf.d/b.conf", "[Log]\nLevel=debug")
        let first = try folder.write("waymark.conf.d/10-a.conf", "[Log]\nLevel=notice\n[Socket]\nPath=/a")
        let middle = try folder.write("waymark.conf.d/9.conf", "\n\n[Log]\nLevel=warning\n[Journal]\nMaximumAge=")
        try folder.write("waymark.conf.d/.hidden.conf", "[Log]\nLevel=nonsense")
        try folder.write("waymark.conf.d/a.conf.bak", "[Log]\nLevel=nonsense")

        let configuration = Configuration.load(mainFile: main, isExplicit: true)
        #expect(configuration.problems == [])
        #expect(configuration.files == [main, first, middle, last])
        #expect(configuration.settings.log.level == .debug)
        #expect(configuration.settings.socket.mode == 0o600)
        #expect(configuration.settings.socket.path == "/a")
        #expect(configuration.source(of: \.log.level) == .file(last, line: 2))
        #expect(configuration.source(of: \.socket.path) == .file(first, line: 4))
        // An empty value restores the default, and the source becomes built-in.
        #expect(configuration.settings.journal.maximumAge == Settings().journal.maximumAge)
        #expect(configuration.source(of: \.journal.maximumAge) == .builtIn)
    }

    @Test func `the problems of every file are listed, in the order of reading`() throws {
        let folder = try TemporaryDirectory()
        let main = try folder.write("waymark.conf", "[Log]\nLevl=info\nLevel=loud")
        let second = try folder.write("waymark.conf.d/2.conf", "\nX=1")
        let first = try makeDirectory(in: folder, "waymark.conf.d/1.conf")
        let configuration = Configuration.load(mainFile: main)
        #expect(configuration.problems.map(\.file) == [main, main, first, second])
        #expect(configuration.problems.map(\.line) == [2, 3, nil, 2])
    }

    @Test func `drop-ins are read without a main file`() throws {
        let folder = try TemporaryDirectory()
        try folder.write("waymark.conf.d/a.conf", "[Receiver]\nGPSD=none")
        let configuration = Configuration.load(mainFile: folder.file("waymark.conf"))
        #expect(configuration.problems == [])
        #expect(configuration.settings.receiver.gpsd == .none)
    }

    @Test func `the command line overrides the files, and again after a reload`() throws {
        let folder = try TemporaryDirectory()
        let main = try folder.write("waymark.conf", "[Journal]\nStateDirectory=/a\n[Log]\nLevel=error")
        let overrides = Overrides(
            gpsd: GPSDAddress.none, socketPath: "/s", stateDirectory: "/b", logLevel: .debug, isSimulated: true)
        let before = Configuration.load(mainFile: main, overrides: overrides)
        #expect(before.settings.receiver.gpsd == .none)
        #expect(before.settings.receiver.isSimulated)
        #expect(before.settings.socket.path == "/s")
        #expect(before.settings.journal.stateDirectory == "/b")
        #expect(before.settings.log.level == .debug)
        #expect(before.source(of: \.journal.stateDirectory) == .commandLine)

        try folder.write(
            "waymark.conf", "[Journal]\nStateDirectory=/c\nMaximumAge=1d\n[Log]\nLevel=notice\n[Socket]\nMode=600")
        let after = Configuration.load(mainFile: main, overrides: overrides)
        #expect(
            after.settings.changes(from: before.settings) == [
                SettingChange(name: "Socket.Mode", needsRestart: true),
                SettingChange(name: "Journal.MaximumAge", needsRestart: false),
            ])
        #expect(after.settings.changes(from: after.settings) == [])
    }

    @Test func `a folder, a FIFO and a damaged file are each named as such`() throws {
        let folder = try TemporaryDirectory()
        func problem(_ path: String) -> [String] {
            Configuration.load(mainFile: path, isExplicit: true).problems.map {
                String($0.description.dropFirst(path.utf8.count))
            }
        }
        #expect(problem(try makeDirectory(in: folder, "folder")) == [": is a folder. Name a file in it"])

        let fifo = folder.file("fifo")
        try retrying("make") { mkfifo(fifo, 0o600) }
        #expect(problem(fifo) == [": is not a regular file"])

        let large = try folder.write("large", bytes: [UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20 | 1))
        #expect(problem(large) == [": is larger than 1 MiB, which no configuration is. Name another file"])
        let largest = try folder.write("largest", bytes: [UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20))
        #expect(problem(largest) == [])

        let damaged = try folder.write("nul", "[Log]\n\nLevel=\u{0}info")
        #expect(problem(damaged) == [":3: there is a NUL byte: the file is damaged, or not a text file"])
        let latin = try folder.write("latin", bytes: Array("[Log]\n# Gr".utf8) + [0xFC] + Array("n\n".utf8))
        #expect(problem(latin) == [":2: there is a byte that is not UTF-8. Save the file as UTF-8"])
        let wide = try folder.write("wide", bytes: [0xFF, 0xFE, 0x5B, 0])
        #expect(problem(wide) == [": is UTF-16. Save it as UTF-8"])
        #expect(problem("/dev/null") == [])
        #expect(
            problem(latin + "/below") == [
                ": cannot open it: Not a directory", ".d: cannot list it: Not a directory",
            ])
    }

    @Test func `a dangling link among the drop-ins is a problem`() throws {
        let folder = try TemporaryDirectory()
        let main = try folder.write("waymark.conf", "")
        let link = try makeDirectory(in: folder, "waymark.conf.d") + "/a.conf"
        try retrying("link") { symlink("/nowhere/at/all", link) }
        #expect(Configuration.load(mainFile: main).problems.map(\.description) == ["\(link): there is no such file"])
    }

    @Test func `a folder with too many drop-ins is a problem`() throws {
        let folder = try TemporaryDirectory()
        let main = try folder.write("waymark.conf", "")
        let dropIns = try makeDirectory(in: folder, "waymark.conf.d")
        for number in 0...ConfigurationFolder.maximumFiles { try folder.write("waymark.conf.d/\(number).conf", "") }
        #expect(
            Configuration.load(mainFile: main).problems.map(\.description)
                == ["\(dropIns): has more than 256 *.conf files. Join or remove some"])
    }

    @Test(.disabled(if: geteuid() == 0, "permissions do not bind the superuser"))
    func `an unreadable file is reported with the remedy`() throws {
        let folder = try TemporaryDirectory()
        let main = try folder.write("waymark.conf", "[Log]\nLevel=info")
        try retrying("change") { chmod(main, 0) }
        #expect(
            Configuration.load(mainFile: main).problems.map(\.description) == [
                "\(main): cannot open it: Permission denied. "
                    + "Let the daemon's user read it, and enter the folders above it"
            ])
    }
}
