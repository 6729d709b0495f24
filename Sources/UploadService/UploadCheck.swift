import Destinations
import Upload

/// What an uploader would do with a file, and what is wrong with it, for a person. Of the address it shows scheme, host and
/// port: what follows may be a secret.
public struct UploadCheck: Sendable {
    /// What would be done, a line each.
    public private(set) var lines: [String] = []
    /// What keeps it from being done, a line each.
    public private(set) var problems: [String]

    /// Looks at a destination's file and, where there are some, at its credentials.
    public init(_ name: String, _ file: DestinationFile, credentials: CredentialFolder) {
        problems = file.problems.map(\.description)
        guard problems.isEmpty, let url = file.configuration.destination.url,
            let format = file.configuration.destination.format
        else { return }
        let configuration = file.configuration
        lines.append("Records under the name \(name), and sends to \(url.origin) as \(format).")
        lines.append(Self.manner(configuration, format))
        lines.append(Self.costs(configuration.queue))
        let names = Self.credentials(configuration)
        lines += names.isEmpty ? ["No credential is used."] : names
        guard !names.isEmpty else { return }
        guard credentials.exists else {
            lines.append("Whether the credentials are right is not looked at: only the service has them.")
            return
        }
        do throws(CredentialProblem) {
            _ = try credentials.credentials(for: configuration)
        } catch {
            problems.append(error.text(credentials.renewal))
        }
    }

    private static func manner(_ configuration: UploadConfiguration, _ format: UploadFormat) -> String {
        let order = configuration.queue.order == .oldest ? "the oldest first" : "the newest first"
        if configuration.usesBroker {
            return "Publishes to \(configuration.topic), \(configuration.mqtt.window) messages at once, \(order)."
        }
        guard format.acceptsBatches else { return "Sends one position a request, \(order)." }
        return "Sends up to \(configuration.queue.batchLimit) positions a request, \(order)."
    }

    private static func costs(_ queue: UploadConfiguration.Queue) -> String {
        let deferring = [
            queue.expensive == .defer ? "costs money" : nil,
            queue.constrained == .defer ? "is to be used little" : nil,
        ].compactMap { $0 }
        guard !deferring.isEmpty else { return "Uses every way there is." }
        let seconds = queue.deferAtMost.components.seconds
        return
            "Where the way \(deferring.joined(separator: " or ")), positions wait for another one, \(seconds) s at most."
    }

    private static func credentials(_ configuration: UploadConfiguration) -> [String] {
        var lines: [String] = []
        let credential = configuration.credential
        switch credential.kind {
        case .none: break
        case .basic: lines.append("The credential \(credential.name) is a user and a password.")
        case .bearer: lines.append("The credential \(credential.name) is a token.")
        case .certificate: lines.append("The credential \(credential.name) is a certificate with its key.")
        }
        if !credential.secret.isEmpty {
            lines.append(
                "The credential \(credential.secret) stands in URL= in place of \(DestinationURL.placeholder).")
        }
        if !credential.encryption.isEmpty {
            lines.append("The credential \(credential.encryption) is the key that every message is sealed with.")
        }
        return lines
    }
}
