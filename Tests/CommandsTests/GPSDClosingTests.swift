import Glibc
import Platform
import TestSupport
import Testing

@testable import Commands

struct GPSDClosingTests {
    private let directory: TemporaryDirectory
    private let closing: GPSDClosing

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("etc/systemd/system/gpsd.service.d/own.conf", "[Service]\nNice=5\n")
        closing = GPSDClosing(root: directory.path)
    }

    @Test func `what is written can be read by systemd, and is removed without a trace`() throws {
        #expect(!closing.isInPlace)
        try closing.write()
        #expect(closing.isInPlace)
        for file in closing.files {
            var status = stat()
            try #require(stat(file.path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o644)
            #expect(try BoundedFile.bytes(of: file.path, limit: 4_096) == Array(file.text.utf8))
        }
        #expect(try closing.remove())
        #expect(!closing.isInPlace)
        // What the administrator had there stays, and no empty folder is left.
        #expect(access(directory.file("etc/systemd/system/gpsd.service.d/own.conf"), F_OK) == 0)
        #expect(access(directory.file("etc/systemd/system/gpsd.socket.d"), F_OK) != 0)
        #expect(try !closing.remove())
    }

    @Test func `closing twice is closing once`() throws {
        try closing.write()
        try closing.write()
        #expect(try closing.remove())
    }

    @Test func `where not all can be written nothing is`() throws {
        try directory.write("etc/systemd/system/waymark-gpsd.service.d", "a file where a folder is to be")
        #expect(throws: SystemError.self) { try closing.write() }
        #expect(access(closing.files[0].path, F_OK) != 0)
        #expect(access(closing.files[1].path, F_OK) != 0)
    }

    @Test func `the control socket comes first, as gpsd expects it, and none is of the network`() {
        let lines = closing.files[0].text.split(separator: "\n").filter { $0.hasPrefix("Listen") }
        #expect(lines == ["ListenStream=", "ListenStream=/run/gpsd.sock", "ListenStream=\(GPSDClosing.socketPath)"])
    }

    @Test(arguments: [
        ("DEVICES=\"\"\nGPSD_OPTIONS=\"\"\nUSBAUTO=\"true\"\n", nil),
        ("DEVICES=\"/dev/ttyACM0\"\nGPSD_OPTIONS=\"-n -s 38400\"\n", nil),
        ("# DEVICES=\"tcp://example.org:2947\"\n", nil),
        ("DEVICES=\"ntrip://caster.example.org:2101/MOUNT /dev/ttyS0\"\n", "ntrip://caster.example.org:2101/MOUNT"),
        ("GPSD_OPTIONS=\"-n -G\"\n", "-G"), ("GPSD_OPTIONS=-nG\n", "-nG"),
    ]) func `a gpsd that needs the network is found by its settings`(text: String, need: String?) {
        #expect(GPSDClosing.networkNeed(inDefaults: text) == need)
    }
}

struct GPSDDoorsTests {
    private let head = "       key      shmid perms                  size  cpid  lpid nattch   uid   gid\n"

    @Test func `gpsd's shared memory is open where others may read it`() {
        let other = "1314148400          0   600                    96   531   531      1     0     0\n"
        let open = "1196446532         13   666                 24512   531   531      1     0     0\n"
        let closed = "1196446532         13   660                 24512   531   531      1     0     0\n"
        #expect(GPSDDoors.sharedMemory(nil) == .unknown)
        #expect(GPSDDoors.sharedMemory(head) == .closed)
        #expect(GPSDDoors.sharedMemory(head + other) == .closed)
        #expect(GPSDDoors.sharedMemory(head + other + open) == .open)
        #expect(GPSDDoors.sharedMemory(head + closed) == .closed)
    }

    @Test func `the message bus is closed where gpsd cannot see it or does not run`() {
        #expect(GPSDDoors.bus(properties: "InaccessiblePaths=\nActiveState=active\n") == .open)
        #expect(GPSDDoors.bus(properties: "ActiveState=active\n") == .open)
        #expect(GPSDDoors.bus(properties: "InaccessiblePaths=-/run/dbus\nActiveState=active\n") == .closed)
        #expect(GPSDDoors.bus(properties: "InaccessiblePaths=\nActiveState=inactive\n") == .closed)
    }

    @Test func `an open door is named, with what to do`() {
        var doors = GPSDDoors(network: .closed, sharedMemory: .closed, bus: .unknown)
        #expect(doors.warning == nil)
        #expect(GPSDCommand.lines(doors, isInPlace: true)[0] == "gpsd is closed to everybody but Waymark.")
        doors.sharedMemory = .open
        doors.network = .open
        let lines = GPSDCommand.lines(doors, isInPlace: false)
        #expect(lines[0].contains("(TCP port 2947, shared memory)"))
        #expect(lines.last == GPSDDoors.advice)
    }
}
