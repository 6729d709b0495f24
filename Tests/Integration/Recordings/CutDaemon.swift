import Glibc
import Platform
import PowerCut
import TestClients
import TestSupport
import Testing

/// A daemon on a simulated disk, with a receiver that reports fifty times a second for longer than a disk is used.
final class CutDaemon {
    let apps: TestApps
    /// The program of the app `recorder`, which may record.
    let recorder: String
    let daemon: DaemonProcess
    private let receiver: FedTerminal
    private let gpsd: RestartableGPSD
    private let shim: PowerCutShim
    private var disk: SimulatedDisk
    private var isNew = true

    /// - Parameter prepare: Adds further apps, before the daemon is started.
    init(_ prepare: (TestApps) throws -> Void = { _ in }) throws {
        apps = try TestApps()
        try prepare(apps)
        recorder = try apps.program("recorder")
        try apps.add("recorder", name: "Recorder", program: recorder, "Record=yes")
        receiver = try FedTerminal(
            try Products.recording("ten-hertz", seconds: 1_200, in: apps.directory), pace: .times(5))
        gpsd = try RestartableGPSD([receiver.path])
        try gpsd.start()
        receiver.begin()
        let folder = apps.directory.file("state")
        shim = try PowerCutShim(watching: folder, in: apps.directory)
        disk = try SimulatedDisk(folder: folder)
        var surroundings = DaemonSurroundings()
        surroundings.entrance = shim.entrance()
        daemon = try DaemonProcess(
            in: apps.directory, configuration: apps.configuration(), gpsd: gpsd.address, logLevel: "warning",
            more: ["--simulated"], surroundings: surroundings)
    }

    func end() throws {
        receiver.unplug()
        gpsd.stop()
        #expect(try daemon.stop() == .exited(0), "\(daemon.log)")
    }

    func kill() throws {
        daemon.signal(SIGKILL)
        #expect(try daemon.wait() == .killed(signal: SIGKILL))
    }

    /// Reduces the files of the killed daemon to a state that a disk would have, and starts it again. Returns how the power was cut,
    /// and how many changes were not synchronized.
    func cutPower(using random: inout SeededGenerator) throws -> (style: CutStyle, unsynchronized: Int) {
        try disk.follow(try shim.drainLog())
        // Of the files from the first start, only those that the daemon has synchronized exist.
        let style = isNew ? .nothing : CutStyle.allCases.randomElement(using: &random) ?? .nothing
        isNew = false
        let cut = try disk.cut(style, using: &random)
        try daemon.restart()
        return (style, cut.unsynchronized)
    }
}
