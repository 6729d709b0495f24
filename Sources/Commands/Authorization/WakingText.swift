import CommandLineKit
import Interfaces

/// What wakes an app, for a person.
struct WakingText {
    let waking: ManageInterface.Waking
    let app: String

    /// What it is woken for, and by which service.
    var causes: String {
        let words = waking.causes.map { cause in
            guard cause == .push, let containers = waking.containers else { return cause.rawValue }
            return containers.isEmpty
                ? "push of no container" : "push of \(containers.joined(separator: " and "))"
        }
        return "\(words.joined(separator: ", ")), by \(waking.unit)"
    }

    /// When it was last woken, and what for; nil if it never was.
    var last: String? {
        guard let time = waking.lastWoken.flatMap({ ZonedTime($0, in: .local) }) else { return nil }
        return "\(time.date) \(time.timeOfDay.dropLast(3))" + (waking.lastCause.map { " for \($0.rawValue)" } ?? "")
    }

    /// What is left of its budget.
    var budget: String {
        guard waking.left == 0, let time = waking.nextAt.flatMap({ ZonedTime($0, in: .local) }) else {
            return Measure.count(waking.left, "wake") + " left"
        }
        return "used up until \(time.timeOfDay.dropLast(3))"
    }

    /// Why it is not woken, with a remedy; nil if it is.
    var obstacle: AppReason? {
        guard let obstacle = waking.obstacle else { return nil }
        let allow = "Start it, or: waymark waking allow \(app)"
        switch obstacle {
        case .notAuthorized:
            return AppReason(
                text: "It is not woken, because it is not authorized always for what is pending.",
                advice: "waymark authorize \(app) always")
        case .stopped: return held("a person has stopped \(waking.unit)", allow)
        case .disabled: return held("a person has disabled \(waking.unit)", allow)
        case .masked:
            return held("a person has masked \(waking.unit)", "systemctl unmask \(waking.unit), then start it")
        case .decision: return held("a person has decided so", allow)
        case .neverAttached:
            return held("it was started three times in a row and never called the daemon", allow)
        case .ended:
            return held(
                "it was woken three times in a row, and ended without having acknowledged an event or failed", allow)
        case .notStarted: return held("\(waking.unit) could not be started three times in a row", allow)
        case .noService: return held("there is no service \(waking.unit)", allow)
        case .noHelper:
            return AppReason(
                text: "It is not woken, because no program runs that starts its service.",
                advice:
                    "For an app of the machine: systemctl start waymark-waker. For a user's app: the user logs in, or"
                    + " loginctl enable-linger USER")
        case .unavailable:
            return AppReason(
                text: "The service manager cannot start \(waking.unit) now. This is tried again within a minute.",
                advice: "systemctl status \(waking.unit)")
        case .budget:
            return AppReason(text: "Its budget is used up: it is woken when a wake is left.", advice: nil)
        default: return AppReason(text: "It is not woken: \(obstacle.rawValue).", advice: nil)
        }
    }

    private func held(_ why: String, _ advice: String) -> AppReason {
        AppReason(text: "It is not woken until it starts by itself, because \(why).", advice: advice)
    }
}
