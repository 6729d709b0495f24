import Certificates
import Glibc
import HTTPServing
import Interfaces
import JSONText
import Location
import Platform
import Records
import RecordsPostgreSQL
import Varlink

/// A hub that runs: the server of HTTP, the administration, and the timer that removes what is old and fills
/// indexes.
@DaemonActor
final class HubServer {
    private let hub: Hub
    private let http: HTTPServer
    private let control: Server
    private let controlSocket: String
    /// The notifications of other hubs; nil for a hub that uses its file alone.
    private let notices: DeviceNotices?
    private var signals: [SignalSource] = []
    private var cleaning: TimerSource?

    private static let cleaningInterval = Duration.seconds(3_600)

    /// Serves until SIGINT or SIGTERM.
    nonisolated static func serve(_ options: ServeOptions) throws {
        EventLoop.main.adoptCurrentThread()
        try DaemonActor.assumeIsolated {
            ResourceLimits.raiseOpenFiles()
            let server = try HubServer(options)
            try EventLoop.main.feedWatchdog()
            ServiceManager.notify(.ready(status: "Serving."))
            try EventLoop.main.serve()
            withExtendedLifetime(server) {}
        }
    }

    private init(_ options: ServeOptions) throws {
        let folder = HubFolder(path: options.folder)
        try folder.make()
        let clock = SystemClock()
        let storage = try HubStorage(options.database, folder)
        hub = try Hub(storage.desk, clock: clock)
        notices = storage.notices

        let identity = try Self.identity(options, folder, clock)
        let socket = try Self.socket(options)
        let port = try ListeningSocket.address(of: socket.number).split(separator: ":").last.map(String.init) ?? ""
        let address = options.url?.text ?? "\(options.isPlain ? "http" : "https")://\(options.name):\(port)"
        http = try HTTPServer(
            socket, identity: identity,
            settings: ServerSettings(connections: UInt32(options.quota), idleSeconds: 60, headBytes: 16 << 10),
            service: hub)
        let service = try Service(
            info: ServiceInfo(
                vendor: "Waymark", product: "waymark-hub", version: WaymarkVersion.text, url: "https://varlink.org"))
        control = try Server(service, tooManyConnections: "io.waymark.Hub.NotStored", clock: clock)
        controlSocket = folder.controlSocket
        let facts = ControlService.Facts(
            address: address,
            pin: try identity.flatMap { options.certificateFile == nil ? try OwnCertificate.pin(of: $0) : nil },
            certificateExpires: try identity.map { try OwnCertificate.expiration(of: $0) },
            connectionLimit: options.quota, started: UTCTime(microseconds: clock.utcMicroseconds))
        let administration = ControlService(hub, facts) { [weak http] in http?.connections ?? 0 }
        try service.register(HubInterface.text) { call in HubInterface.perform(call, by: administration) }
        try control.listen(on: UnixSocket.listen(path: controlSocket, mode: 0o600))

        // Before anything starts a thread, which would be ended by a signal that is not blocked in it.
        for number in [SIGINT, SIGTERM] {
            signals.append(try SignalSource(number) { [weak self] in self?.stop() })
        }
        notices?.notify = { [weak hub] in hub?.wake($0) }
        notices?.resume = { [weak hub] in hub?.wakeAll() }
        notices?.report = {
            Log.error("pushes of other hubs are received late, until the database is there again: \($0)")
        }
        notices?.start()
        cleaning = try TimerSource(accuracy: .seconds(60)) { [weak self] in self?.clean() }
        clean()
        Log.notice(
            "serving \(address) with the folder \(folder.path)\(options.database == nil ? "" : " and a database")")
    }

    private static func identity(
        _ options: ServeOptions, _ folder: HubFolder, _ clock: some TimeSource
    ) throws -> String? {
        if options.isPlain { return nil }
        guard let file = options.certificateFile else {
            return try folder.certificate(for: options.name, at: Int(clock.utcMicroseconds / 1_000_000))
        }
        return String(decoding: try BoundedFile.bytes(of: file, limit: 262_144), as: UTF8.self)
    }

    private static func socket(_ options: ServeOptions) throws -> OwnedDescriptor {
        let everywhere = ListeningSocket.everyAddress
        let address = options.address ?? (options.isPlain ? "127.0.0.1" : everywhere)
        guard let socket = try ListeningSocket.at(address: address, port: options.port) else {
            throw HubStartError("\(address) is no numeric address")
        }
        return socket
    }

    private func clean() {
        hub.removeOld()
        hub.fillIndexes()
        cleaning?.arm(after: Self.cleaningInterval)
    }

    private func stop() {
        ServiceManager.notify(.stopping(status: "Stopping."))
        Log.notice("stopping")
        http.stop()
        control.stop()
        unlink(controlSocket)
        EventLoop.main.stop()
    }
}
