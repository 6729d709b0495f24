import Glibc
import Platform
import TestSupport
import TestTraits
import Testing

@testable import Commands

@Suite(.waits) struct GPSDClosingTests {
    private let directory: TemporaryDirectory
    private let closing: GPSDClosing

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("etc/systemd/system/gpsd.service.d/own.conf", "[Service]\nNice=5\n")
        closing = GPSDClosing(root: directory.path)
    }

    @Test func `the written files can be read by systemd, and are removed completely`() throws {
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
        // The administrator's own files stay, and no empty folder is left.
        #expect(access(directory.file("etc/systemd/system/gpsd.service.d/own.conf"), F_OK) == 0)
        #expect(access(directory.file("etc/systemd/system/gpsd.socket.d"), F_OK) != 0)
        #expect(try !closing.remove())
    }

    @Test func `closing twice is closing once`() throws {
        try closing.write()
        try closing.write()
        #expect(try closing.remove())
    }

    @Test func `when one file cannot be written none is`() throws {
        try directory.write("etc/systemd/system/waymark-gpsd.service.d", "a file where a folder is to be")
        #expect(throws: SystemError.self) { try closing.write() }
        #expect(access(closing.files[0].path, F_OK) != 0)
        #expect(access(closing.files[1].path, F_OK) != 0)
    }

    @Test func `the control socket comes first, as gpsd expects it, and no network socket follows`() {
        let lines = closing.files[0].text.split(separator: "\n").filter { $0.hasPrefix("Listen") }
        #expect(lines == ["ListenStream=", "ListenStream=/run/gpsd.sock", "ListenStream=\(GPSDClosing.socketPath)"])
    }

    @Test func `where chrony is installed it and gpsd have an IPC namespace in common`() throws {
        #expect(closing.files.count == 3)
        try directory.write("lib/systemd/system/chrony.service", "")
        let text = closing.files.reduce(into: [:]) {
            $0[String($1.path.dropFirst(closing.units.utf8.count + 1))] = $1.text
        }
        #expect(text.count == 6)
        for unit in ["gpsd.service", "chrony.service"] {
            let lines = text["\(unit).d/waymark-time.conf"]?.split(separator: "\n") ?? []
            #expect(lines.contains("JoinsNamespaceOf=waymark-gpsd-namespaces.service"))
            // Neither gpsd nor chrony depends on a unit that is missing or fails.
            #expect(lines.contains("Wants=waymark-gpsd-namespaces.service"))
        }
        #expect(text["chrony.service.d/waymark-time.conf"]?.contains("\nPrivateIPC=yes\n") == true)
        #expect(text["chrony.service.d/waymark-time.conf"]?.contains("PrivateNetwork") == false)
        // A service that joins a unit gets only the kinds of namespaces that the unit has: gpsd its network, and chrony
        // its /tmp.
        for kind in ["PrivateIPC", "PrivateNetwork", "PrivateTmp"] {
            #expect(text["waymark-gpsd-namespaces.service"]?.contains("\n\(kind)=yes\n") == true, "\(kind)")
        }
    }

    @Test func `the files for chrony are removed also where chrony is no longer installed`() throws {
        try directory.write("usr/lib/systemd/system/chronyd.service", "")
        try closing.write()
        #expect(closing.hasNamespaceUnit)
        #expect(access("\(closing.units)/chronyd.service.d/waymark-time.conf", F_OK) == 0)
        unlink(directory.file("usr/lib/systemd/system/chronyd.service"))
        #expect(try closing.remove())
        #expect(!closing.hasNamespaceUnit)
        #expect(access("\(closing.units)/chronyd.service.d", F_OK) != 0)
        #expect(access("\(closing.units)/gpsd.service.d/waymark-time.conf", F_OK) != 0)
        #expect(access(closing.units, F_OK) == 0)
    }

    @Test func `a chrony that was installed after gpsd was closed is noticed`() throws {
        try closing.write()
        #expect(!closing.isChronyLeftOut)
        try directory.write("lib/systemd/system/chrony.service", "")
        #expect(closing.isInPlace)
        #expect(closing.isChronyLeftOut)
        try closing.write()
        #expect(!closing.isChronyLeftOut)
        try closing.remove()
        #expect(!closing.isChronyLeftOut)
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

    @Test func `an open access is named, with the next step`() {
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
