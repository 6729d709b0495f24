import Interfaces
import Varlink

extension CallRepetition {
    /// How a call of one of the daemon's methods goes on after a restart: those that only ask, or do the same when done
    /// twice, are made again.
    init(of request: CallRequest) {
        self =
            if let method = LocationInterface.Method(rawValue: request.method) {
                method == .holdInUse ? .withoutFirstReply : .unlessSame
            } else if let method = ManageInterface.Method(rawValue: request.method) {
                Self.manage(method)
            } else if let method = AgentInterface.Method(rawValue: request.method) {
                Self.agent(method)
            } else if let method = JournalInterface.Method(rawValue: request.method) {
                method == .note ? .never : .unlessSame
            } else if let method = ReachabilityInterface.Method(rawValue: request.method) {
                method == .reportTarget ? .never : .unlessSame
            } else if let method = RecordingInterface.Method(rawValue: request.method) {
                Self.recording(method)
            } else if let method = UploadsInterface.Method(rawValue: request.method) {
                Self.uploads(method)
            } else {
                // What every service has, and what there is not, is only answered.
                .unlessSame
            }
    }

    private static func manage(_ method: ManageInterface.Method) -> CallRepetition {
        switch method {
        case .status, .monitor, .reload, .metrics, .listApps, .listRequests, .listUsers, .setLocked: .unlessSame
        case .authorize, .reset, .resetAll, .setServicesEnabled, .answer, .rotateReduced, .eraseUser, .restoreUser:
            .never
        }
    }

    private static func agent(_ method: AgentInterface.Method) -> CallRepetition {
        switch method {
        case .register: .unlessTold
        case .setLocked: .unlessSame
        case .answer, .dismiss: .never
        }
    }

    private static func recording(_ method: RecordingInterface.Method) -> CallRepetition {
        switch method {
        case .list, .read, .readRejected, .acknowledge: .unlessSame
        case .start, .stop, .erase, .reject, .revive: .never
        }
    }

    private static func uploads(_ method: UploadsInterface.Method) -> CallRepetition {
        switch method {
        case .attach, .report, .list, .monitor: .unlessSame
        case .pause, .resume, .flush, .retryRejected: .never
        }
    }
}
