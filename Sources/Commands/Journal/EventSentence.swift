import Interfaces
import JSONText
import Location
import NetworkPaths
import Varlink

/// The details of an event about apps and decisions, as a sentence instead of names and values.
final class EventSentence {
    /// The names of users, retrieved once each: a journal has many events of few users.
    private var users: [Int64: String] = [:]

    /// The sentence; nil where the details are to be shown as they are, or are unknown to this version.
    func text(_ event: JournalEntry) -> String? {
        guard let said = said(event) else { return nil }
        switch (event.app, event.user) {
        case (let app?, let user?): return "\(app) of \(name(user))" + (said.isEmpty ? "" : ": \(said)")
        case (let app?, nil): return app + (said.isEmpty ? "" : ": \(said)")
        case (nil, let user?): return name(user) + (said.isEmpty ? "" : ": \(said)")
        case (nil, nil): return said.isEmpty ? nil : said
        }
    }

    private func name(_ user: Int64) -> String {
        if let name = users[user] { return name }
        let name = UserName.text(user)
        users[user] = name
        return name
    }

    private func said(_ event: JournalEntry) -> String? {
        let details = event.details
        func word(_ name: String) -> String? { details[name]?.stringValue }
        switch event.kind {
        case .authorizationRequested: return word("kind").map(Self.request)
        case .authorizationAnswered:
            guard let kind = word("kind"), let answer = word("answer") else { return nil }
            return "\(Self.request(kind)): \(Self.answer(answer))"
        case .authorizationChanged, .authorizationReset: return decision(word)
        case .servicesOn, .servicesOff: return word("by").map { "by \(DeciderText.words($0))" } ?? ""
        case .accountSuspended, .accountRestored, .accountErased: return Self.account(word)
        case .restrictionsChanged:
            guard let count = word("unreadable").flatMap({ Int($0) }) else { return nil }
            return count == 0
                ? "all files were read without errors" : "\(Measure.count(count, "mistake")), see waymark restrictions"
        case .identifierDisclosed: return Self.identifier(word)
        case .identifiersReset:
            guard let count = details["count"]?.integerValue, let by = word("by") else { return nil }
            let what =
                word("kind") == IdentifierReport.advertising
                ? "the advertising identifier" : Measure.count(count, "identifier")
            return "\(what), by \(DeciderText.words(by))"
        case .trackingAuthorizationChanged: return Self.tracking(word)
        case .appAttached: return word("assurance").map { "proof: \($0)" } ?? ""
        case .positionsSeen: return SeenPositions(event).map(Self.seen)
        case .networkChanged: return Self.network(word)
        case .targetChanged: return Self.target(word)
        case .uploadStarted, .uploadPaused, .uploadResumed, .uploadSucceeded, .uploadFailed, .uploadRejected:
            return Self.upload(details, word)
        case .recordingStarted, .recordingStopped, .recordingResumed: return word("recording")
        case .recordingPaused:
            guard let name = word("recording"), let reason = word("reason") else { return nil }
            return "\(name): \(RecordingText.words(.init(rawValue: reason)))"
        case .recordingErased:
            guard let name = word("recording") else { return nil }
            return word("by").map { "\(name), \(Self.eraser($0))" } ?? name
        case .positionsDropped:
            guard let name = word("recording"), let count = details["count"]?.integerValue else { return nil }
            let what = Measure.count(count, "position") + " of \(name)"
            return word("reason").map { "\(what): \($0)" } ?? what
        case .appInUse, .appLeftUse, .appDetached, .holdBegan, .holdEnded, .userLocked, .userUnlocked,
            .agentRegistered, .agentUnregistered:
            return event.details == .emptyObject ? "" : nil
        default: return nil
        }
    }

    private func decision(_ word: (String) -> String?) -> String? {
        if word("accuracy") == "temporaryFull" { return "full accuracy until it is no longer in use" }
        guard let status = word("status") else { return nil }
        let permission = Permission(rawValue: status)
        var parts = [permission.map(AppText.words) ?? status]
        if let accuracy = word("accuracy"), permission != .denied, permission != .notDetermined {
            parts.append("\(accuracy) accuracy")
        }
        if let by = word("by") { parts.append("by \(DeciderText.words(by))") }
        return parts.joined(separator: ", ")
    }

    private static func account(_ word: (String) -> String?) -> String {
        let name = word("name").flatMap { $0.isEmpty ? nil : $0 } ?? "a number without an account"
        let other = word("otherName").map { ", which is \($0) now" } ?? ""
        let reason = word("reason").map { ": \($0)" } ?? ""
        let by = word("by").map { ", by \(DeciderText.words($0))" } ?? ""
        return name + other + reason + by
    }

    private static func identifier(_ word: (String) -> String?) -> String? {
        if word("kind") == IdentifierReport.advertising { return "the advertising identifier" }
        guard word("kind") == "identifierForVendor", let vendor = word("vendor") else { return nil }
        return "the identifier for the vendor \(vendor)"
    }

    private static func tracking(_ word: (String) -> String?) -> String? {
        guard let status = word("status") else { return nil }
        let words = TrackingAuthorizationStatus(rawValue: status).map(TrackingText.words) ?? status
        return words + (word("by").map { ", by \(DeciderText.words($0))" } ?? "")
    }

    private static func eraser(_ by: String) -> String {
        switch by {
        case "app": "by the app's own choice"
        case "revocation": "because the app lost its authorization"
        default: "by \(DeciderText.words(by))"
        }
    }

    /// `1,204 in an hour, 3 of them reduced, 200 in the background`.
    private static func seen(_ seen: SeenPositions) -> String {
        var text = "\(Measure.grouped(seen.total)) in an hour"
        if seen.reduced > 0 { text += ", \(Measure.grouped(seen.reduced)) of them reduced" }
        if seen.inBackground > 0 { text += ", \(Measure.grouped(seen.inBackground)) in the background" }
        return seen.isOperator ? text + ", as an operator" : text
    }

    private static func network(_ word: (String) -> String?) -> String? {
        guard let status = word("status").flatMap(NetworkPath.Status.init) else { return nil }
        let interfaces = (word("interfaces") ?? "").split(separator: " ")
        return switch status {
        case .satisfied:
            "there is a route to the rest of the"
                + " world" + (interfaces.isEmpty ? "" : ": \(interfaces.joined(separator: ", "))")
        case .requiresConnection: "the route to the rest of the world is not ready yet" + because(word)
        case .unsatisfied: "there is no route to the rest of the world" + because(word)
        }
    }

    private static func target(_ word: (String) -> String?) -> String? {
        guard let host = word("host"), let status = word("status").flatMap(TargetReachability.Status.init) else {
            return nil
        }
        return switch status {
        case .reachable: "there is a route to \(host)"
        case .requiresConnection: "\(host) cannot be reached yet" + because(word)
        case .unreachable: "\(host) cannot be reached" + because(word)
        case .unknown: "whether \(host) can be reached is not known" + because(word)
        }
    }

    /// `home: the router does not answer`.
    private static func upload(_ details: JSON, _ word: (String) -> String?) -> String? {
        guard let name = word("name") else { return nil }
        func number(_ name: String) -> Int64? { details[name]?.integerValue }
        if let by = word("by") { return "\(name): by \(DeciderText.words(by))" }
        if let count = number("count") {
            let words = "\(name): \(Measure.count(Int(clamping: count), "position"))"
            return words + (number("status").map { ", status \($0)" } ?? "")
        }
        guard let state = word("state").map(UploadsInterface.State.init) else { return name }
        var reason = UploadReason(state: state, word: word("reason").map(UploadsInterface.Reason.init)).clause
        if let status = number("status"), word("reason") != nil, !reason.contains("\(status)") {
            reason += ", status \(status)"
        }
        return "\(name): \(reason)"
    }

    private static func because(_ word: (String) -> String?) -> String {
        guard let reason = word("reason") else { return "" }
        return ": " + (UnreachableReason(rawValue: reason).map { ReasonText(reason: $0).clause } ?? reason)
    }

    private static func request(_ kind: String) -> String {
        switch kind {
        case "whenInUse": "positions while in use"
        case "always": "positions always"
        case "changeToAlways": "a change to always"
        case "confirmAlways": "the confirmation of always"
        case "temporaryFullAccuracy": "full accuracy for a while"
        case "tracking": "tracking"
        case "shown": "a prompt about always is shown"
        default: kind
        }
    }

    private static func answer(_ answer: String) -> String {
        switch PromptChoice(rawValue: answer) {
        case .allowOnce: "allowed once"
        case .allowWhileUsing: "allowed while using"
        case .deny: "denied"
        case .keepWhileUsing: "left at while using"
        case .changeToAlways: "changed to always"
        case .allow: "allowed"
        case nil: answer
        }
    }
}
