import Destinations
import Durations
import Upload

/// What an uploader would do with a configuration file, and its problems, for people. Of the address only scheme, host
/// and port are shown: the rest may contain a secret.
public struct UploadCheck: Sendable {
    /// The effects of the configuration, one per line.
    public private(set) var lines: [String] = []
    /// The problems that prevent sending, one per line.
    public private(set) var problems: [String]

    /// Checks a destination's file and, if the process has any, its credentials.
    public init(_ name: String, _ file: DestinationFile, credentials: CredentialFolder) {
        problems = file.problems.map(\.description)
        guard problems.isEmpty, let url = file.configuration.destination.url,
            let format = file.configuration.destination.format
        else { return }
        let configuration = file.configuration
        lines.append("Records under the name \(name), and sends to \(url.origin) as \(format).")
        lines.append(Self.manner(configuration, format))
        lines += Self.choice(configuration.limits)
        lines += Self.extras(configuration)
        checkRegions(configuration)
        lines.append(Self.costs(configuration.queue))
        let names = Self.credentials(configuration)
        lines += names.isEmpty ? ["No credential is used."] : names
        guard !names.isEmpty else { return }
        guard credentials.exists else {
            lines.append("The credentials are not checked, because only the service has them.")
            return
        }
        do throws(CredentialProblem) {
            _ = try credentials.credentials(for: configuration)
        } catch {
            problems.append(error.text(credentials.renewal))
        }
    }

    private mutating func checkRegions(_ configuration: UploadConfiguration) {
        switch RegionPlan(configuration) {
        case .none: return
        case .unusable(let found): problems += found
        case .regions(let file):
            let circles = file.waypoints.count { $0.circle != nil }
            lines.append(
                "Reports when the machine enters or leaves \(file.regions.count == 1 ? "the region" : "one of \(file.regions.count) regions"),"
                    + " and sends \(circles == 1 ? "1 circle as a waypoint" : "\(circles) circles as waypoints").")
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

    /// Which positions the filter chooses.
    private static func choice(_ limits: PositionFilter.Limits) -> [String] {
        let omitted = [
            limits.distance.map { "less than \(Int($0)) m from the last chosen one" },
            limits.interval.map { "less than \($0.words) after the last chosen one" },
            limits.accuracy.map { "less accurate than \(Int($0)) m" },
        ].compactMap { $0 }
        var lines: [String] = []
        if !omitted.isEmpty { lines.append("Leaves out positions that are \(omitted.joined(separator: ", or ")).") }
        if let stationary = limits.stationary {
            lines.append("While the device is stationary, chooses one position in \(stationary.words).")
        }
        return lines.isEmpty ? ["Chooses every recorded position."] : lines + ["[Filter] changes which are chosen."]
    }

    private static func extras(_ configuration: UploadConfiguration) -> [String] {
        var lines: [String] = []
        if configuration.reportsBattery {
            lines.append("Messages have the battery's charge, where UPower reports one.")
        }
        if configuration.acceptsCommands {
            let place = configuration.commandTopic.map { "published to \($0)" } ?? "in responses"
            lines.append("Sends the newest position when the command reportLocation is \(place).")
        }
        if let discovery = configuration.discovery {
            lines.append("Home Assistant discovers the device by the retained message \(discovery.topic).")
        }
        if let topic = configuration.birthTopic {
            lines.append("Sends the waypoints again when Home Assistant publishes `online` to \(topic).")
        }
        return lines
    }

    private static func costs(_ queue: UploadConfiguration.Queue) -> String {
        let deferring = [
            queue.expensive == .defer ? "costs money" : nil,
            queue.constrained == .defer ? "should carry little data" : nil,
        ].compactMap { $0 }
        guard !deferring.isEmpty else { return "Uses every network path." }
        return "If the path \(deferring.joined(separator: " or ")), positions wait for another one,"
            + " \(queue.deferAtMost.words) at most."
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
                "The credential \(credential.secret) replaces \(DestinationURL.placeholder) in URL=.")
        }
        if !credential.encryption.isEmpty {
            lines.append("The credential \(credential.encryption) is the key that encrypts every message.")
        }
        return lines
    }
}
