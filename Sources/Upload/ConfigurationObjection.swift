/// A conflict between settings whose values are valid on their own.
public struct ConfigurationObjection: Equatable, Sendable {
    /// The section of the setting to change.
    public let section: String
    /// The key of the setting to change.
    public let key: String
    /// The problem and the next step, as the rest of a sentence that begins with the setting.
    public let message: String

    init(_ section: String, _ key: String, _ message: String) {
        self.section = section
        self.key = key
        self.message = message
    }

    /// An objection to a `[Device]` setting that a format needs and that is not set.
    static func missing(_ key: String, for format: UploadFormat) -> ConfigurationObjection {
        ConfigurationObjection("Device", key, "is not set. \(format) needs it")
    }
}

extension UploadConfiguration {
    /// The conflicts in this configuration; empty if it can be used.
    public var objections: [ConfigurationObjection] {
        guard let url = destination.url else {
            return [ConfigurationObjection("Destination", "URL", "is not set. Write the address of the destination")]
        }
        guard let format = destination.format else {
            let formats = UploadFormat.all.map(\.name).joined(separator: ", ")
            return [ConfigurationObjection("Destination", "Format", "is not set. Choose one of \(formats)")]
        }
        return objections(to: url, format) + credentialObjections(url, format) + discoveryObjections(url)
            + owntracksObjections(format) + format.objections(self)
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
                    "everyone on the network path could read the positions."
                        + " Write \(url.scheme.rawValue)s://, or Unencrypted=yes"))
        }
        if !destination.authorityFile.isEmpty, !url.scheme.isEncrypted {
            found.append(
                ConfigurationObjection(
                    "Destination", "CAFile", "\(url.scheme.rawValue):// uses no certificates. Remove the line"))
        }
        return found
    }

    private func credentialObjections(_ url: DestinationURL, _ format: UploadFormat) -> [ConfigurationObjection] {
        var found: [ConfigurationObjection] = []
        switch credential.kind {
        case .none:
            if !credential.name.isEmpty {
                let kinds = CredentialReference.Kind.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")
                found.append(ConfigurationObjection("Credential", "Kind", "is not set. Choose one of \(kinds)"))
            }
        case .basic, .bearer, .certificate:
            if credential.name.isEmpty {
                found.append(
                    ConfigurationObjection("Credential", "Name", "is not set. Name a credential of the service"))
            }
        }
        if credential.kind == .bearer, url.scheme.isBroker {
            found.append(
                ConfigurationObjection("Credential", "Kind", "MQTT has no bearer tokens. Use basic or certificate"))
        }
        if credential.kind == .certificate, !url.scheme.isEncrypted {
            found.append(
                ConfigurationObjection(
                    "Credential", "Kind", "\(url.scheme.rawValue):// uses no certificates. Use https or mqtts"))
        }
        if url.hasPlaceholder, credential.secret.isEmpty {
            found.append(
                ConfigurationObjection(
                    "Credential", "Secret",
                    "is not set. Name the credential of the service that holds the text for"
                        + " \(DestinationURL.placeholder) in URL="))
        }
        if !url.hasPlaceholder, !credential.secret.isEmpty {
            found.append(
                ConfigurationObjection(
                    "Destination", "URL",
                    "has no \(DestinationURL.placeholder) after its host. Write it where the value of the credential"
                        + " \(credential.secret) belongs"))
        }
        if !credential.encryption.isEmpty,
            let objection = format.lacks(.encryption, "encryption", "Credential", "Encryption")
        {
            found.append(objection)
        }
        return found
    }

    private func discoveryObjections(_ url: DestinationURL) -> [ConfigurationObjection] {
        guard mqtt.hasDiscovery else { return [] }
        var found: [ConfigurationObjection] = []
        if !url.scheme.isBroker {
            found.append(
                ConfigurationObjection(
                    "MQTT", "HomeAssistantDiscovery", "needs a broker. Write URL=mqtts://, or remove the line"))
        }
        if mqtt.discoveryPrefix.isEmpty {
            found.append(ConfigurationObjection("MQTT", "DiscoveryPrefix", "is empty. Usually it is homeassistant"))
        }
        if !credential.encryption.isEmpty {
            found.append(
                ConfigurationObjection(
                    "MQTT", "HomeAssistantDiscovery",
                    "the discovered device cannot read encrypted messages. Remove Encryption= or this line"))
        }
        return found
    }

    private func owntracksObjections(_ format: UploadFormat) -> [ConfigurationObjection] {
        var found: [ConfigurationObjection] = []
        if owntracks.reportsLocation, let objection = format.lacks(.commands, "commands", "OwnTracks", "ReportLocation")
        {
            found.append(objection)
        }
        if !owntracks.regionsFile.isEmpty,
            let objection = format.lacks(.regions, "messages about regions", "OwnTracks", "Regions")
        {
            found.append(objection)
        }
        return found
    }
}

extension UploadFormat {
    /// An objection to a setting that this format does not read; nil if it does. `noun` is what the setting is for.
    fileprivate func lacks(
        _ setting: Settings, _ noun: String, _ section: String, _ key: String
    ) -> ConfigurationObjection? {
        if settings.contains(setting) { return nil }
        let verb = Self.reading(setting).count == 1 ? "has" : "have"
        return ConfigurationObjection(
            section, key, "only \(Self.names(reading: setting)) \(verb) \(noun). Remove the line")
    }
}
