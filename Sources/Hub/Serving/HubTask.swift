import HTTPServing
import Location
import Records

/// Something to do with the engine.
enum HubTask: Sendable {
    /// Answer a request, with the resource that its address names. The device is that of its token as far as the hub remembers: the
    /// engine reads ahead for it, and then checks the token.
    case request(ServedRequest, Resource?, from: AccountDevice? = nil)
    /// Find out who has the token of this `Authorization`.
    case identify(authorization: String)
    /// Invite a device.
    case invite(AccountDevice, code: [UInt8], seconds: Double)
    /// List devices and invitations after one.
    case list(after: AccountDevice?, limit: Int)
    /// Remove a device.
    case remove(AccountDevice)
    /// Read the schema of a container.
    case schema(Container)
    /// Replace the schema of a container's development.
    case replaceSchema(ContainerName, Schema)
    /// Deploy the schema of a container's development to production.
    case deploySchema(ContainerName, changingRoles: Bool)
    /// Read the team of a container.
    case team(ContainerName)
    /// Change the team of a container.
    case changeTeam(ContainerName, TeamChange)
    /// Remove what has become too old: deletions, answers to repeated requests, uploads that nobody continues.
    case removeOld
    /// Fill new indexes, from this progress on.
    case fillIndexes(IndexFilling?)

    /// Whether the task is committed together with others that follow it. Those that remove and fill in parts commit by themselves.
    var isWriting: Bool {
        switch self {
        case .request(let request, _, _): request.method != "GET" && request.method != "HEAD"
        case .invite, .remove, .replaceSchema, .deploySchema, .changeTeam: true
        case .identify, .list, .schema, .team, .removeOld, .fillIndexes: false
        }
    }

    /// What becomes of the task when the engine fails.
    func result(of failure: EngineFailure) -> HubResult {
        if case .request = self { .answer(HubAnswer(failure)) } else { .failed(failure) }
    }

    /// Bytes that the task has in memory.
    var size: Int { if case .request(let request, _, _) = self { request.body.count } else { 0 } }
}

/// What became of a task.
enum HubResult: Sendable {
    case answer(HubAnswer)
    case caller(Caller?)
    case invitation(Result<InvitationRow, AccountRefusal>)
    case list([DeviceRow], [InvitationRow])
    /// Why a device was not removed, and the devices to wake.
    case removal(AccountRefusal?, [Push])
    case schema(Schema)
    case schemaChange(Result<[SchemaDifference], SchemaRefusal>)
    case team(Result<Team, TeamRefusal>)
    /// Whether there is more to remove.
    case oldRemoved(isMore: Bool)
    /// How far new indexes are filled; nil if all are.
    case indexesFilled(IndexFilling?)
    /// The engine failed.
    case failed(EngineFailure)

    /// The failure of the engine; nil if there was none.
    var failure: EngineFailure? {
        switch self {
        case .answer(let answer): answer.failure
        case .failed(let failure): failure
        default: nil
        }
    }
}

extension HubAPI {
    /// Performs a task.
    func perform(_ prepared: PreparedTask, at now: UTCTime) -> HubResult {
        do throws(EngineFailure) {
            switch prepared.task {
            case .request(let request, let resource, _):
                return .answer(answer(request, to: resource, prepared, at: now))
            case .identify(let authorization): return .caller(try caller(authorization: authorization))
            case .invite(let device, let code, let seconds):
                return .invitation(try store.invite(device, code: code, for: seconds, at: now))
            case .list(let last, let limit):
                return .list(
                    try store.devices(after: last, limit: limit), try store.invitations(after: last, limit: limit))
            case .remove(let device):
                let pushes = try store.removeKey(of: device, at: now)
                return .removal(try store.remove(device), pushes)
            case .schema(let container): return .schema(try store.schema(of: container))
            case .replaceSchema(let name, let schema):
                return .schemaChange(try store.replaceSchema(of: name, by: schema))
            case .deploySchema(let name, let changingRoles):
                return .schemaChange(try store.deploySchema(of: name, changingRoles: changingRoles))
            case .team(let name): return .team(try store.team(of: name, by: .administrator))
            case .changeTeam(let name, let change):
                return .team(try store.change(teamOf: name, change, by: .administrator))
            case .removeOld: return .oldRemoved(isMore: try store.removeOld(at: now))
            case .fillIndexes(let filling): return .indexesFilled(try store.fillIndexes(filling))
            }
        } catch {
            return .failed(error)
        }
    }
}
