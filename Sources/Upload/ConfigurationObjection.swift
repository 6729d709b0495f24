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
}

extension UploadConfiguration {
    /// What keeps these values from being used; empty where they can be.
    public var objections: [ConfigurationObjection] {
        guard let url = destination.url else {
            return [ConfigurationObjection("Destination", "URL", "is not set. Say where to send")]
        }
        guard let format = destination.format else {
            let formats = UploadFormat.allCases.map(\.rawValue).joined(separator: ", ")
            return [ConfigurationObjection("Destination", "Format", "is not set. There are \(formats)")]
        }
        return objections(to: url, format) + credentialObjections(url) + deviceObjections(url, format)
    }

    private func objections(to url: DestinationURL, _ format: UploadFormat) -> [ConfigurationObjection] {
        var found: [ConfigurationObjection] = []
        if url.scheme.isBroker, format != .owntracks {
            found.append(
                ConfigurationObjection(
                    "Destination", "Format", "\(format.rawValue) is not published to brokers. Only owntracks is"))
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

    private func credentialObjections(_ url: DestinationURL) -> [ConfigurationObjection] {
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
        if !credential.encryption.isEmpty, destination.format != .owntracks {
            found.append(ConfigurationObjection("Credential", "Encryption", "only owntracks has it. Remove the line"))
        }
        return found
    }

    private func deviceObjections(_ url: DestinationURL, _ format: UploadFormat) -> [ConfigurationObjection] {
        var missing: [String] = []
        switch format {
        case .owntracks:
            let isTopicEnough = url.scheme.isBroker && !mqtt.topic.isEmpty && !mqtt.clientID.isEmpty
            if device.user.isEmpty, !isTopicEnough { missing.append("User") }
            if device.name.isEmpty, !isTopicEnough || trackerID.isEmpty { missing.append("Name") }
        case .osmand:
            if device.name.isEmpty { missing.append("Name") }
        case .overland, .geojson: break
        }
        return missing.map {
            ConfigurationObjection("Device", $0, "is not set. \(format.rawValue) needs it")
        }
    }
}
