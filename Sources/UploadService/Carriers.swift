import Platform
import Upload

/// Makes the carrier that a destination needs.
public enum Carriers {
    /// Makes the carrier for a destination.
    @DaemonActor public static func make(
        _ configuration: UploadConfiguration, _ credentials: Credentials,
        _ report: @escaping @DaemonActor (CarrierEvent) -> Void
    ) throws -> any Carrier {
        if configuration.usesBroker { return try MQTTCarrier(configuration, credentials, report) }
        return try HTTPCarrier(configuration, credentials, report)
    }

    /// What reports the battery; nil if the requests of the configuration do not contain it.
    @DaemonActor static func batteryMonitor(
        _ configuration: UploadConfiguration, clock: any TimeSource
    ) -> BatteryMonitor? {
        configuration.reportsBattery ? BatteryMonitor(clock: clock) : nil
    }

    /// Finds the commands in a response or message of the destination; nil if the configuration does not permit any.
    static func commandReader(
        _ configuration: UploadConfiguration, _ credentials: Credentials
    ) -> (@Sendable ([UInt8]) -> RemoteCommands)? {
        guard configuration.acceptsCommands, let format = configuration.destination.format else { return nil }
        guard let box = credentials.box else { return { format.commands($0, nil) } }
        return { message in format.commands(message) { sealed in box.open(sealed) } }
    }

    /// A request writer for the address with its secret, which encrypts messages if the credentials contain a key.
    static func writer(_ configuration: UploadConfiguration, _ credentials: Credentials) -> RequestWriter {
        var configuration = configuration
        if let url = credentials.url { configuration.destination.url = url }
        guard let box = credentials.box else { return RequestWriter(configuration) }
        return RequestWriter(configuration) { box.seal($0) }
    }
}
