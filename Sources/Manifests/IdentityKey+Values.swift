import Authorization
import Configuration

extension IdentityKey {
    /// The permitted values, as text for a person.
    var allowed: String {
        switch self {
        case .socket: "the name of the app's own socket: letters, digits, . _ @ and -, at most 255"
        case .unit: "the name of a service, such as map.service, or a pattern of one with * and ?"
        case .userUnit:
            "the name of a user's unit, such as map.service, or a pattern of one such as *-org.example.Map[-@]*"
        case .flatpak: "the id of a Flatpak app, such as org.example.Map"
        case .exec: "the absolute path of a program, such as /usr/bin/map"
        }
    }

    /// Why a value is invalid: the rest of a sentence that begins with the value. Nil for a valid one.
    func objection(to text: String) -> String? {
        switch self {
        case .socket: isSocket(text) ? nil : "is not the name of a socket"
        case .unit: unitObjection(text, kinds: [".service"])
        case .userUnit: unitObjection(text, kinds: [".service", ".scope"])
        case .flatpak: isFlatpak(text) ? nil : "is not the id of a Flatpak app"
        case .exec: execObjection(text)
        }
    }

    private func isSocket(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { AppName.isLetterOrDigit($0) || "._@-".utf8.contains($0) }
    }

    private func isFlatpak(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { AppName.isLetterOrDigit($0) || $0 == 95 || $0 == 45 }
            }
    }

    private func unitObjection(_ text: String, kinds: [String]) -> String? {
        let pattern = UnitPattern(text)
        let mayEnd = kinds.contains(where: text.hasSuffix) || text.hasSuffix("*")
        guard (1...255).contains(text.utf8.count), mayEnd, pattern.isBalanced,
            text.utf8.allSatisfy({ AppName.isLetterOrDigit($0) || ":_.\\-@*?[]".utf8.contains($0) })
        else { return "is not the name of a unit, nor a pattern of one" }
        // `app-*.scope` would match every program that a desktop starts.
        guard pattern.isSpecific else {
            return "fits any unit. Name at least three letters of this app's own"
        }
        return nil
    }

    private func execObjection(_ text: String) -> String? {
        guard text.hasPrefix("/"), text.utf8.count > 1 else { return "is not an absolute path" }
        // The keys of all manifests of all users are in memory, so their length is limited.
        guard text.utf8.count <= 1_024 else { return "is too long a path: 1,024 bytes are allowed" }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            return "is not a plain path: it has an empty part, . or .."
        }
        return nil
    }
}
