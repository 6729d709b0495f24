import Interfaces
import Manifests

/// Findings about apps: obstacles because of which apps receive no positions.
extension Diagnosis {
    var apps: [Finding] { services + restrictions + manifests + unnoticed + requests + recordings + protection }

    /// An obstacle for apps. It is a problem only if the daemon refuses this program as well; otherwise a note.
    private func obstacle(_ subject: String, _ text: String, _ advice: String) -> Finding {
        Finding(
            severity: facts.refusal == nil ? .note : .problem, subject: subject, text: text, advice: advice)
    }

    private var services: [Finding] {
        guard facts.areServicesEnabled == false else { return [] }
        return [obstacle("Services", "location services are off: no app gets a position.", "waymark services on")]
    }

    private var restrictions: [Finding] {
        var findings: [Finding] = []
        let rules = facts.restrictions
        if let first = rules.problems.first {
            let more =
                rules.problems.count > 1 ? " And \(Measure.count(rules.problems.count - 1, "more", "more"))." : ""
            findings.append(
                obstacle(
                    "Restrictions", "what is not understood forbids everything it might have meant. \(first)\(more)",
                    "Correct it: waymark restrictions"))
        }
        let sentences = RestrictionText(rules: rules).sentences
        if !sentences.isEmpty {
            findings.append(
                Finding(
                    severity: .note, subject: "Restrictions", text: sentences.joined(separator: " "),
                    advice: "Where that is not meant, see the files: ls \(RestrictionRules.folder)"))
        }
        return findings
    }

    private var manifests: [Finding] {
        let errors = facts.manifestProblems.filter { $0.severity == .error }
        guard let first = errors.first else { return [] }
        let files = Set(errors.map(\.file)).count
        return [
            obstacle(
                "Manifests",
                "\(Measure.count(files, "manifest")) \(files == 1 ? "does" : "do") not count: the app gets nothing. \(first)",
                "waymark manifest check")
        ]
    }

    private var unnoticed: [Finding] {
        guard let problem = status?.authorization.problem else { return [] }
        return [
            obstacle(
                "Manifests", "\(problem).",
                "It is tried again by itself, once a minute at least. To have all files read now: systemctl reload waymark"
            )
        ]
    }

    private var requests: [Finding] {
        let unseen = facts.requests.filter { !$0.isShown }
        if unseen.isEmpty { return [] }
        let apps = Set(unseen.map(\.question.app)).sorted().prefix(3).joined(separator: ", ")
        return [
            Finding(
                severity: .note, subject: "Requests",
                text:
                    "\(Measure.count(unseen.count, "request")) (\(apps)) \(unseen.count == 1 ? "waits" : "wait"), and no"
                    + " agent shows \(unseen.count == 1 ? "it" : "them").",
                advice: "Answer: waymark requests. For the next ones run `waymark agent` as the apps' user.")
        ]
    }
}
