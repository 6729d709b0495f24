import Interfaces
import Platform
import Records
import Varlink

extension ControlService {
    func getTeam(_ call: MethodCall<HubInterface.GetTeam>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        hub.queue.submit(.team(name)) { [call = call.later] result in
            switch Self.team(result, name) {
            case .success(let team): call.reply(.init(members: team.members))
            case .failure(let failure): call.fail(failure)
            }
        }
    }

    func setTeamMember(_ call: MethodCall<HubInterface.SetTeamMember>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        let account = try Self.account(call.parameters.account)
        let rights = Set(call.parameters.rights.compactMap { TeamRight(rawValue: $0.rawValue) })
        guard rights.count == Set(call.parameters.rights).count else {
            throw .invalidArgument(message: "A right is one of manageTeam, editDevelopment and editProduction.")
        }
        let change: TeamChange = call.parameters.agent == true ? .makeAgent(account) : .put(account, rights)
        self.change(name, change) { [call = call.later] result in
            switch result {
            case .success(let team): call.reply(.init(members: team.members))
            case .failure(let failure): call.fail(failure)
            }
        }
    }

    func removeTeamMember(_ call: MethodCall<HubInterface.RemoveTeamMember>) throws(HubInterface.Failure) {
        let name = try Self.container(call.parameters.container)
        let account = try Self.account(call.parameters.account)
        change(name, .remove(account)) { [call = call.later] result in
            switch result {
            case .success(let team): call.reply(.init(members: team.members))
            case .failure(let failure): call.fail(failure)
            }
        }
    }

    private func change(
        _ name: ContainerName, _ change: TeamChange,
        _ completion: @escaping @DaemonActor (Result<Team, HubInterface.Failure>) -> Void
    ) {
        hub.queue.submit(.changeTeam(name, change)) { [hub] result in
            switch result {
            case .team(.success): hub.note(.teamChanged(name, change, by: .administrator))
            case .team(.failure(let refusal)): hub.note(.refused(.administrator, refusal, name))
            default: break
            }
            completion(Self.team(result, name))
        }
    }

    private static func team(
        _ result: HubResult, _ name: ContainerName
    ) -> Result<Team, HubInterface.Failure> {
        guard case .team(let team) = result else { return .failure(.init(result)) }
        return team.mapError { .teamConflict(message: $0.message(in: name)) }
    }
}

extension Team {
    fileprivate var members: [HubInterface.TeamMember] {
        list.map { member in
            .init(
                account: member.account.text,
                rights: member.rights.sorted().compactMap { HubInterface.TeamRight(rawValue: $0.rawValue) },
                agent: member.isAgent)
        }
    }
}
