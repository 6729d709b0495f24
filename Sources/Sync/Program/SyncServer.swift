import Accounts
import Glibc
import HTTP
import Interfaces
import NetworkPaths
import Platform
import Records
import Storage
import SyncInterface
import Varlink

/// The program that runs: the copy, its carrier, and the socket for apps.
@DaemonActor
final class SyncServer {
    private let cache: SyncCache
    private let carrier: Carrier
    private let server: Server
    private let accounts: UserAccounts
    private let shares: CallerShares
    private let ownSocket: String?
    private var network: NetworkLink?
    private let reporter: PushReporter
    private let sealing: CopySealing
    private let keys: FieldKeys
    private let alerts: AlertQueue
    private var signals: [SignalSource] = []
    private var rest: TimerSource?

    /// How often it is checked whether there is an account or a client. Without both the program ends, because the service manager
    /// starts it again.
    private static let idleTime = Duration.seconds(30)

    /// Serves until SIGINT or SIGTERM.
    nonisolated static func serve(_ options: SyncOptions) throws {
        EventLoop.main.adoptCurrentThread()
        try DaemonActor.assumeIsolated {
            let server = try SyncServer(options)
            try EventLoop.main.feedWatchdog()
            ServiceManager.notify(.ready(status: "Serving."))
            try EventLoop.main.serve()
            withExtendedLifetime(server) {}
        }
    }

    /// Why it does not start.
    struct StartError: Error, CustomStringConvertible {
        let description: String
    }

    private init(_ options: SyncOptions) throws {
        let clock = SystemClock()
        try OwnFolder.make(options.folder)
        do throws(StorageError) { cache = try SyncCache(folder: options.folder) } catch {
            throw StartError(description: Self.explained(error, options.folder))
        }
        var assetLimits = AssetLimits()
        assetLimits.cachedBytes = options.assetCacheBytes
        carrier = try Carrier(
            cache, authorityFile: options.authorityFile, assetLimits: assetLimits, clock: clock)
        let directory = CallerDirectory(servesPerson: getuid() != 0, clock: clock)
        sealing = try CopySealing(cache, carrier, socket: options.daemon, clock: clock)
        keys = FieldKeys(cache, carrier)
        // Nobody shows alerts of the account of the machine, which is no person's.
        alerts = try AlertQueue(
            cache, keys, directory,
            mark: options.socket == SyncInterface.machineSocket ? nil : SyncInterface.alertMark(of: options.socket),
            clock: clock)
        let handler = SyncService(cache, carrier, sealing, keys, alerts, directory)
        let service = try Service(
            info: ServiceInfo(
                vendor: "Waymark", product: "waymark-sync", version: WaymarkVersion.text, url: "https://varlink.org",
                protocolNumber: WaymarkVersion.protocolNumber))
        var limits = ServerLimits()
        // Records of 2 MiB, of which a byte may need several in JSON, and the brackets around them.
        limits.maximumMessageBytes = 4 * Limits().requestBytes + 65_536
        limits.maximumConnections = 1_024
        // There are no operators.
        limits.reservedForOperators = 0
        server = try Server(
            service, limits: limits, tooManyConnections: SyncInterface.name + ".NotAllowed", clock: clock)
        accounts = UserAccounts(clock: clock)
        accounts.onChange = { [weak server] in server?.reviewShares(of: $0) }
        accounts.start()
        shares = CallerShares(accounts)
        server.sharing = shares
        try service.register(SyncInterface.text) { call in SyncInterface.perform(call, by: handler) }
        ownSocket = try Self.listen(server, options)
        reporter = try PushReporter(cache, socket: options.daemon, clock: clock)
        carrier.onRest = { [reporter, weak keys, weak alerts] in
            reporter.report()
            keys?.update()
            alerts?.update()
        }
        do throws(StorageError) { try sealing.start() } catch {
            throw StartError(description: Self.explained(error, options.folder))
        }
        network = NetworkLink(socket: options.daemon, clock: clock) { [weak carrier] in carrier?.networkChanged() }
        for number in [SIGINT, SIGTERM] {
            signals.append(try SignalSource(number) { [weak self] in self?.stop() })
        }
        if ownSocket == nil {
            rest = try TimerSource(accuracy: .seconds(5)) { [weak self] in self?.endIfUnused() }
            rest?.arm(after: Self.idleTime)
        }
        Log.notice("serving the copy in \(options.folder)")
    }

    private func endIfUnused() {
        // Of a closed copy it is not known whether it has an account.
        guard cache.obstacle == nil, carrier.account == nil, server.openConnections.isEmpty else {
            rest?.arm(after: Self.idleTime)
            return
        }
        Log.notice("no account has been joined, and no program is connected")
        stop()
    }

    /// Listens at the sockets that the service manager passes, or at one of its own, whose path is returned.
    private static func listen(_ server: Server, _ options: SyncOptions) throws -> String? {
        let passed = try ServiceManager.receiveListeningSockets()
        for socket in passed {
            guard ServiceManager.isListeningUnixStream(socket.number) else {
                throw StartError(
                    description: "the service manager has passed a socket that is no listening Unix socket")
            }
            try server.listen(on: OwnedDescriptor(adopting: socket.number))
        }
        guard passed.isEmpty else { return nil }
        if let slash = options.socket.lastIndex(of: "/") { try OwnFolder.make(String(options.socket[..<slash])) }
        // Any program of the machine may connect to the socket of the machine's account; who calls is examined then.
        try server.listen(on: UnixSocket.listen(path: options.socket, mode: getuid() == 0 ? 0o666 : 0o600))
        return options.socket
    }

    private static func explained(_ error: StorageError, _ folder: String) -> String {
        switch error.reason {
        case .inUse: "another waymark-sync uses the folder \(folder)"
        case _ where error.isDamage:
            "the copy in \(folder) is damaged: \(error.message). Remove sync.sqlite there and join the account again;"
                + " everything is fetched from the hub, but changes that were not sent are lost"
        default: "\(error). \(error.nextStep)"
        }
    }

    private func stop() {
        ServiceManager.notify(.stopping(status: "Stopping."))
        server.stop()
        alerts.removeMark()
        if let ownSocket { unlink(ownSocket) }
        EventLoop.main.stop()
    }
}
