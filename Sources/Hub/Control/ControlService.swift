import Interfaces
import JSONText
import Location
import Platform
import Records
import Varlink

/// `io.waymark.Hub`: the administration of the hub, for root and for the hub's own user.
@DaemonActor
final class ControlService: HubInterface.Handler {
    /// What is the same for as long as the hub runs.
    struct Facts: Sendable {
        /// Where the hub believes it can be reached.
        var address: String
        /// The digest of the hub's own key, which is part of each code; nil where an authority vouches for the certificate.
        var pin: [UInt8]?
        /// When the certificate ceases to be valid, in seconds since 1970; nil without TLS.
        var certificateExpires: Int?
        /// The most connections.
        var connectionLimit: Int
        /// When the hub was started.
        var started: UTCTime
    }

    let hub: Hub
    private let facts: Facts
    private let connections: @DaemonActor () -> Int

    /// How long a code is accepted by default, and at most.
    private static let lifetime: Int64 = 900
    private static let longestLifetime: Int64 = 7 * 86_400
    private static let page = 200

    init(_ hub: Hub, _ facts: Facts, connections: @escaping @DaemonActor () -> Int) {
        self.hub = hub
        self.facts = facts
        self.connections = connections
    }

    func invite(_ call: MethodCall<HubInterface.Invite>) throws(HubInterface.Failure) {
        let parameters = call.parameters
        let seconds = parameters.seconds ?? Self.lifetime
        guard (1...Self.longestLifetime).contains(seconds) else {
            throw .invalidArgument(message: "`seconds` has to be from 1 to \(Self.longestLifetime).")
        }
        let device = try Self.device(parameters.device)
        withAccount(parameters.account, call.later) { [hub, facts] account, call in
            hub.invite(AccountDevice(account, device), seconds: Double(seconds)) { result in
                switch result {
                case .success(let invitation):
                    call.reply(
                        .init(
                            account: account.text, device: device.text,
                            code: ([invitation.code] + (facts.pin.map { [HexText.text($0)] } ?? [])).joined(
                                separator: "."),
                            expires: invitation.row.expires.microseconds, address: facts.address))
                case .failure(let failure): call.fail(.init(failure, AccountDevice(account, device)))
                }
            }
        }
    }

    func list(_ call: MethodCall<HubInterface.List>) throws(HubInterface.Failure) {
        var last: AccountDevice?
        if let account = call.parameters.account, let device = call.parameters.device {
            last = AccountDevice(try Self.account(account), try Self.device(device))
        }
        hub.queue.submit(.list(after: last, limit: Self.page)) { [hub, call = call.later] result in
            guard case .list(let devices, let invitations) = result else { return call.fail(.init(result)) }
            // Where one of the lists is cut, the other one ends at the same place, so that the next page continues both.
            let isMore = devices.count == Self.page || invitations.count == Self.page
            let end = [devices.last?.id, invitations.last?.id].compactMap { $0 }.min()
            func isOnPage(_ id: AccountDevice) -> Bool { !isMore || end.map { id <= $0 } ?? true }
            call.reply(
                .init(
                    devices: devices.filter { isOnPage($0.id) }.map { row in
                        .init(
                            account: row.id.account.text, device: row.id.device.text,
                            joined: row.joined.microseconds, waiting: hub.isWaiting(row.id))
                    },
                    invitations: invitations.filter { isOnPage($0.id) }.map { row in
                        .init(
                            account: row.id.account.text, device: row.id.device.text,
                            expires: row.expires.microseconds)
                    }, more: isMore))
        }
    }

    func remove(_ call: MethodCall<HubInterface.Remove>) throws(HubInterface.Failure) {
        let device = try Self.device(call.parameters.device)
        withAccount(call.parameters.account, call.later) { [hub] account, call in
            hub.remove(AccountDevice(account, device)) { failure in
                if let failure {
                    call.fail(.init(failure, AccountDevice(account, device)))
                } else {
                    call.reply(.init())
                }
            }
        }
    }

    func getStatistics(_ call: MethodCall<HubInterface.GetStatistics>) throws(HubInterface.Failure) {
        let statistics = hub.statistics
        call.reply(
            .init(
                version: WaymarkVersion.text, started: facts.started.microseconds, address: facts.address,
                certificateExpires: facts.certificateExpires.map(Int64.init), connections: Int64(connections()),
                connectionLimit: Int64(facts.connectionLimit), descriptorLimit: Int64(DescriptorLimit.current),
                waiting: Int64(hub.waiting),
                responses: statistics.responses.sorted { $0.key < $1.key }.map {
                    .init(status: Int64($0.key), count: Int64($0.value))
                },
                pushes: Int64(statistics.pushes), postponed: Int64(statistics.postponed),
                failures: Int64(statistics.failures), tasks: Int64(hub.queue.tasks),
                groups: Int64(hub.queue.groups)))
    }

    static func account(_ text: String) throws(HubInterface.Failure) -> AccountID {
        guard let account = AccountID(text) else {
            throw .invalidArgument(message: "\"\(text)\" is no name of an account: \(nameRule)")
        }
        return account
    }

    private static func device(_ text: String) throws(HubInterface.Failure) -> DeviceID {
        guard let device = DeviceID(text) else {
            throw .invalidArgument(message: "\"\(text)\" is no name of a device: \(nameRule)")
        }
        return device
    }

    static let nameRule =
        "1 to 128 letters, digits, dots, hyphens and underscores, with a letter or digit at the beginning."

    /// Continues with the account that was named, or with the only one that the hub has.
    private func withAccount<Method: VarlinkMethod>(
        _ name: String?, _ call: LateCall<Method>, _ body: @escaping @DaemonActor (AccountID, LateCall<Method>) -> Void
    ) where Method.Failure == HubInterface.Failure {
        if let name {
            do throws(HubInterface.Failure) { body(try Self.account(name), call) } catch { call.fail(error) }
            return
        }
        hub.queue.submit(.list(after: nil, limit: 1_000)) { result in
            guard case .list(let devices, let invitations) = result else { return call.fail(.init(result)) }
            let accounts = Set(devices.map(\.id.account) + invitations.map(\.id.account))
            guard let account = accounts.first, accounts.count == 1 else {
                let message =
                    accounts.isEmpty
                    ? "This hub has no account yet. Name the first one with --account, for example that of a person."
                    : "This hub has several accounts. Name one of them with --account."
                return call.fail(.accountNeeded(message: message))
            }
            body(account, call)
        }
    }
}

extension HubInterface.Failure {
    fileprivate init(_ failure: InviteFailure, _ id: AccountDevice) {
        self =
            switch failure {
            case .refused(.deviceExists):
                .deviceExists(
                    message:
                        "The account \(id.account) has a device \(id.device) already. Choose another name, or remove"
                        + " that device.")
            case .refused(.unknownDevice), .refused(.unknownCode):
                .unknownDevice(message: "The account \(id.account) has no device \(id.device).")
            case .refused(.tooMany(let most)):
                .tooManyDevices(
                    message:
                        "The account \(id.account) has \(most) devices and invitations, the most that is permitted."
                        + " Remove one of them.")
            case .engine(let failure): .notStored(message: "The hub \(failure).")
            }
    }

    init(_ result: HubResult) {
        self = .notStored(message: "The hub \(result.failure?.description ?? "did not answer").")
    }
}
