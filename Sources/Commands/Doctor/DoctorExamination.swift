import CommandLineKit
import Configuration
import Glibc
import Interfaces
import Location
import Manifests
import Platform
import Varlink
import Waymark

/// Gathers the facts for the diagnosis from the daemon, gpsd, the files and the clock.
struct DoctorExamination {
    let session: Session
    /// The time to wait for positions, in seconds.
    let patience: Double
    let interruption: Interruption

    /// All facts.
    func facts() throws(CommandFailure) -> DoctorFacts {
        var facts = DoctorFacts()
        facts.socketPath = session.socketPath
        facts.clockYear = CivilTime(UTCTime(microseconds: session.clock.utcMicroseconds)).year
        facts.isGPSDInstalled =
            ExecutableSearch.find("gpsd", alsoIn: ["/usr/sbin", "/usr/local/sbin"]) != nil
        let configuration = Configuration.load()
        facts.configurationProblems = configuration.problems.map(\.description)
        facts.daemon = queryDaemon()
        if facts.daemon == .refusesStatus { facts.operatorAdvice = OperatorAdvice.ofThisProcess.sentence }
        facts.release = queryRelease()
        var reported: String?
        if case .answers(let status) = facts.daemon { reported = status.receiver.gpsd }
        let address = GPSDWhereabouts(reported: reported, configuration).address
        facts.gpsdAddress = address.description
        if case .tcp(let host, _) = address { facts.isGPSDLocal = ["localhost", "127.0.0.1", "::1"].contains(host) }
        examineApps(&facts)
        session.remarks.progress("Querying gpsd at \(address)…")
        facts.gpsd = GPSDProbe(address: address).query()
        facts.doors = GPSDDoors.probe()
        facts.isGPSDClosed = address == .unix(path: GPSDClosing.socketPath)
        switch facts.daemon {
        case .answers(let before):
            try listenIfAllowed(before, &facts)
            examineRegions(&facts)
        case .refusesStatus:
            try listenIfAllowed(nil, &facts)
            examineRegions(&facts)
        case .noSocket, .nobodyListens, .noPermission, .fails: break
        }
        facts.deviceFiles = devices(facts).map { ($0, Self.file($0)) }
        session.remarks.endProgress()
        return facts
    }

    private func queryDaemon() -> DoctorFacts.Daemon {
        session.remarks.progress("Querying the daemon…")
        do throws(VarlinkError) {
            let client = try Client(path: session.socketPath, timeout: .seconds(5))
            return .answers(try client.call(ManageInterface.Status(), timeout: .seconds(5)).status)
        } catch .protocolViolation {
            return .fails("its reply is invalid.")
        } catch .cannotConnect(let error) where error.code == ENOENT {
            return .noSocket
        } catch .cannotConnect(let error) where error.code == ECONNREFUSED {
            return .nobodyListens
        } catch .cannotConnect(let error) where error.code == EACCES || error.code == EPERM {
            return .noPermission
        } catch .reply(let name, _) where name == ErrorName.manageNotOperator.rawValue {
            return .refusesStatus
        } catch {
            return .fails("its reply is an error: \(error).")
        }
    }

    private func queryRelease() -> DaemonRelease? {
        do throws(WaymarkError) {
            return try WaymarkClient(socketPath: session.socketPath).release(within: .seconds(5))
        } catch {
            // The finding about the status gives the reason.
            return nil
        }
    }

    /// Checks the authorization of apps: the files, and the data for operators.
    private func examineApps(_ facts: inout DoctorFacts) {
        facts.restrictions = RestrictionsCommand.installed
        do throws(CommandFailure) {
            let check = ManifestCheck(among: try ManifestCommand.folders(), as: .root)
            facts.manifestProblems = check.installedProblems.problems
            guard case .answers = facts.daemon else { return }
            facts.areServicesEnabled = try ManageLink(session).apps().list.servicesEnabled
            facts.requests = try RequestsCommand.all(session).requests
            facts.now = Double(session.clock.utcMicroseconds) / 1e6
            facts.users = try UsersCommand.all(session).users
            facts.recordings = try RecordingCommand.all(session).recordings
            facts.uploads = try session.daemon.call(UploadsInterface.List()).uploads
            facts.protection = try session.daemon.call(ProtectionInterface.Status()).status
        } catch {
            // What cannot be read is no reason for a missing position.
            return
        }
    }

    /// Lists the monitors of regions, and why the states of the caller's own regions are unknown.
    private func examineRegions(_ facts: inout DoctorFacts) {
        do throws(CommandFailure) {
            let own = try RegionListing.own(session)
            for monitor in try RegionListing.all(session).monitors {
                var examined = Diagnosis.MonitorFacts(monitor: monitor)
                if own.contains(where: { $0.name == monitor.name && $0.app == monitor.app && $0.uid == monitor.uid }) {
                    let reply = try session.daemon.call(RegionsInterface.Show(monitor: monitor.name, limit: 1_000))
                    for region in reply.regions where region.state == .unknown {
                        examined.doubts[region.reason ?? .undetermined, default: 0] += 1
                    }
                    examined.isPartial = !reply.isComplete
                }
                facts.monitors.append(examined)
            }
        } catch {
            // Who may have no regions has nothing to be found out about them.
            return
        }
    }

    private func listenIfAllowed(_ before: DaemonStatus?, _ facts: inout DoctorFacts) throws(CommandFailure) {
        do throws(CommandFailure) {
            try listen(before, &facts)
        } catch .failed(_, let message, .notAuthorized) {
            facts.refusal = message
        } catch {
            throw error
        }
    }

    /// Requests positions and satellites, because only then the daemon connects to gpsd, until a position comes or the
    /// time is over.
    private func listen(_ before: DaemonStatus?, _ facts: inout DoctorFacts) throws(CommandFailure) {
        var listening = DoctorFacts.Listening()
        let feed = try PositionFeed(session, MonitorRequest(), interruption)
        let sky = try session.daemon.stream(LocationInterface.MonitorSatellites(), until: interruption)
        let start = session.clock.monotonicNanoseconds
        repeat {
            let waited = Double(session.clock.monotonicNanoseconds - start) / 1e9
            session.remarks.progress("Waiting for a position… \(Int(max(0, patience - waited))) s")
            if let item = try feed.next(timeout: .milliseconds(250)) { note(item.update, &listening) }
            try noteSky(sky, &listening)
            listening.seconds = Double(session.clock.monotonicNanoseconds - start) / 1e9
        } while listening.seconds < (isWorthWaiting(listening, facts.gpsd) ? patience : Self.leastSeconds)
        if let before, case .answers(let after) = queryDaemon() {
            facts.daemon = .answers(after)
            listening.reports = Self.total(after.receiver.reports) - Self.total(before.receiver.reports)
            listening.rejected = after.rejected.map { count in
                VarlinkMap.Entry(count.name, count.value - (before.rejected[count.name] ?? 0))
            }
        }
        facts.listening = listening
    }

    /// Whether a position may still come: not without a receiver. The daemon reports that as well, once gpsd has
    /// replied to it.
    private func isWorthWaiting(_ listening: DoctorFacts.Listening, _ gpsd: DoctorFacts.GPSD) -> Bool {
        guard listening.positionOffset == nil else { return false }
        switch gpsd {
        case .unconfigured, .refused, .answers(_, devices: []): return false
        case .answers, .unreachable, .stranger: return !listening.diagnostics.contains(.noReceiver)
        }
    }

    private func note(_ update: LocationUpdate, _ listening: inout DoctorFacts.Listening) {
        listening.diagnostics = update.diagnostics
        listening.authorization = update.authorizationStatus.rawValue
        guard let position = update.position else { return }
        listening.positionOffset = position.timestamp - Double(session.clock.utcMicroseconds) / 1e6
        listening.isSimulated = position.isSimulated
        listening.accuracy = position.horizontalAccuracy
    }

    /// Records a report of satellites. A user who may not have it is no fault: then nothing is known.
    private func noteSky(_ stream: DaemonStream, _ listening: inout DoctorFacts.Listening) throws(CommandFailure) {
        do throws(CommandFailure) {
            while case .reply(let reply) = try stream.next(timeout: .zero) {
                let sky = try reply.read(as: LocationInterface.MonitorSatellites.self).sky
                listening.signals = sky.satellites.map { $0.signalToNoise ?? 0 }
            }
        } catch .ended(let code) {
            throw .ended(code)
        } catch {
            return
        }
    }

    private func devices(_ facts: DoctorFacts) -> [String] {
        guard case .answers(_, let devices) = facts.gpsd else { return [] }
        // A receiver may also be a network address or another source without a file.
        return devices.filter { $0.hasPrefix("/") }
    }

    private static func file(_ path: String) -> DoctorFacts.DeviceFile {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT ? .missing : .notReadable }
        guard status.st_mode & S_IFMT == S_IFCHR else { return .notADevice }
        return access(path, R_OK) == 0 ? .usable : .notReadable
    }

    /// The shortest time to listen, even with a position at once: for other reports of the receiver, and for a receiver
    /// that seems to be missing.
    private static let leastSeconds = 1.5

    /// Reports of a receiver, without those of gpsd about itself.
    private static func total(_ counts: VarlinkMap<Int64>) -> Int64 {
        let ofGPSD: Set = ["VERSION", "DEVICES", "DEVICE", "WATCH", "ERROR"]
        return counts.filter { !ofGPSD.contains($0.name) }.reduce(0) { $0 + $1.value }
    }
}
