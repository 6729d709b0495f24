/// What keeps values that are each allowed from being used together.
public struct ConfigurationObjection: Equatable, Sendable {
    /// The section of the setting that is best changed.
    public let section: String
    /// Its key.
    public let key: String
    /// What is wrong, and what to do.
    public let message: String

    init(_ section: String, _ key: String, _ message: String) {
        self.section = section
        self.key = key
        self.message = message
    }

    /// That a setting of `[Device]` is not set which a format needs.
    static func missing(_ key: String, for format: UploadFormat) -> ConfigurationObjection {
        ConfigurationObjection("Device", key, "is not set. \(format) needs it")
    }
}

extension UploadConfiguration {
    /// What keeps these values from being used; empty where they can be.
    public var objections: [ConfigurationObjection] {
        guard let url = destination.url else {
            return [ConfigurationObjection("Destination", "URL", "is not set. Say where to send")]
        }
        guard let format = destination.format else {
            let formats = UploadFormat.all.map(\.name).joined(separator: ", ")
            return [ConfigurationObjection("Destination", "Format", "is not set. There are \(formats)")]
        }
        return objections(to: url, format) + credentialObjections(url, format) + format.objections(self)
    }

    private func objections(to url: DestinationURL, _ format: UploadFormat) -> [ConfigurationObjection] {
        var found: [ConfigurationObjection] = []
        if url.scheme.isBroker, format.publication == nil {
            let others = UploadFormat.published
            found.append(
                ConfigurationObjection(
                    "Destination", "Format",
                    "\(format) is not published to brokers. Only \(UploadFormat.list(others.map(\.name)))"
                        + " \(others.count == 1 ? "is" : "are")"))
        }
        if !url.scheme.isEncrypted, !url.isOwnMachine, !destination.allowsUnencrypted {
            found.append(
                ConfigurationObjection(
                    "Destination", "URL",
                    "everybody on the way could read what is sent. Write \(url.scheme.rawValue)s://, or Unencrypted=yes"
                ))
        }
        if !destination.authorityFile.isEmpty, !url.scheme.isEncrypted {
            found.append(
                ConfigurationObjection(
                    "Destination", "CAFile", "\(url.scheme.rawValue):// knows no certificates. Remove the line"))
        }
        return found
    }

    private func credentialObjections(_ url: DestinationURL, _ format: UploadFormat) -> [ConfigurationObjection] {
        var found: [ConfigurationObjection] = []
        switch credential.kind {
        case .none:
            if !credential.name.isEmpty {
                let kinds = CredentialReference.Kind.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")
                found.append(ConfigurationObjection("Credential", "Kind", "is not set. There are \(kinds)"))
            }
        case .basic, .bearer, .certificate:
            if credential.name.isEmpty {
                found.append(
                    ConfigurationObjection("Credential", "Name", "is not set. Name a credential of the service"))
            }
        }
        if credential.kind == .bearer, url.scheme.isBroker {
            found.append(
                ConfigurationObjection("Credential", "Kind", "brokers know no bearer tokens. Use basic or certificate"))
        }
        if credential.kind == .certificate, !url.scheme.isEncrypted {
            found.append(
                ConfigurationObjection(
                    "Credential", "Kind", "\(url.scheme.rawValue):// knows no certificates. Use https or mqtts"))
        }
        if url.hasPlaceholder, credential.secret.isEmpty {
            found.append(
                ConfigurationObjection(
                    "Credential", "Secret",
                    "is not set. Name the credential of the service that holds what URL= has"
                        + " \(DestinationURL.placeholder) for"))
        }
        if !url.hasPlaceholder, !credential.secret.isEmpty {
            found.append(
                ConfigurationObjection(
                    "Destination", "URL",
                    "has no \(DestinationURL.placeholder) behind its host. Write it where the credential"
                        + " \(credential.secret) is to stand"))
        }
        if !credential.encryption.isEmpty, !format.settings.contains(.encryption) {
            let verb = UploadFormat.reading(.encryption).count == 1 ? "has" : "have"
            found.append(
                ConfigurationObjection(
                    "Credential", "Encryption",
                    "only \(UploadFormat.names(reading: .encryption)) \(verb) it. Remove the line"))
        }
        return found
    }
}
