import CommandLineKit
import Location
import SyncInterface

/// The status of synchronization for a person.
struct SyncStatusText {
    let status: SyncInterface.GetStatus.Reply
    /// Microseconds since 1970.
    let now: Int64

    /// Sentences, each a line.
    var lines: [String] {
        if status.copyForm == .closed { return [status.copyProblem.map(\.escapingControls) ?? "The copy is closed."] }
        return switch status.state {
        case .noAccount:
            ["This machine has joined no account. `waymark-hub invite` makes a code, and `waymark join` joins with it."]
        case .removed:
            [
                "The hub \(hub) does not accept this machine any more.",
                "Leave the account with `waymark leave`, and join it with another code.",
            ]
        case .active:
            [account, activity] + (status.problem.map { ["Problem: " + $0.escapingControls] } ?? [])
                + [status.copyForm == .sealed ? "Copy: sealed" : "Copy: not sealed"]
                + (status.copyProblem.map { [$0.escapingControls] } ?? [])
        }
    }

    private var hub: String { (status.hub ?? "").escapingControls }

    private var account: String { "Account: \(status.account ?? "") as \(status.device ?? ""), hub \(hub)" }

    private var activity: String {
        let contact = status.lastContact.map { ", last contact \(ago($0))" } ?? ", no contact yet"
        return switch status.activity {
        case "sending": "Sending\(contact)"
        case "fetching": "Fetching\(contact)"
        case "waiting":
            "Waiting\(status.nextAttempt.map { " for the next attempt in \(seconds($0 - now))" } ?? "")\(contact)"
        default: (status.connected ? "Up to date, connected" : "Not connected") + contact
        }
    }

    private func ago(_ microseconds: Int64) -> String {
        let age = now - microseconds
        return age < 2_000_000 ? "now" : "\(seconds(age)) ago"
    }

    private func seconds(_ microseconds: Int64) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h"
        }
    }

    /// Why the hub has refused a change, in a few words.
    static func reason(_ error: String?) -> String {
        switch error {
        case "serverRecordChanged": "changed on another machine"
        case "unknownItem": "deleted on another machine"
        case "zoneNotFound", "userDeletedZone": "the zone was deleted"
        case "typeDiffers": "the record has another type"
        case "assetNotFound": "the file of an asset was not uploaded"
        case "limitExceeded": "too large"
        case "notPermitted": "not permitted"
        default: error?.escapingControls ?? "unknown"
        }
    }
}
