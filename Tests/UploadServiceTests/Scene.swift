import Platform
import TestSupport
import Testing
import Upload

@testable import UploadService

/// An uploader between a daemon and a destination that the test controls.
@DaemonActor
final class Scene {
    let daemon: DaemonDouble
    let destination = CarrierDouble.Destination()
    var process: UploadProcess
    private let directory: TemporaryDirectory

    /// Makes a scene whose uploader has not started.
    @concurrent nonisolated static func make(
        _ configuration: UploadConfiguration = Scene.configuration()
    ) async throws -> Scene {
        try await Scene(DaemonDouble.start(), configuration)
    }

    private init(_ daemon: DaemonDouble, _ configuration: UploadConfiguration) throws {
        self.daemon = daemon
        directory = try TemporaryDirectory()
        process = try Self.process(configuration, directory, daemon, destination)
    }

    private static func process(
        _ configuration: UploadConfiguration, _ directory: TemporaryDirectory, _ daemon: DaemonDouble,
        _ destination: CarrierDouble.Destination
    ) throws -> UploadProcess {
        try UploadProcess(
            name: "home",
            setup: UploadProcess.Setup(configuration, from: CredentialFolder(path: directory.path)),
            socketPath: daemon.path, random: { 0.01 }, makeCarrier: { destination.make($0, $1, $2) })
    }

    /// The setup of a configuration with the current credentials.
    func setup(_ configuration: UploadConfiguration) -> UploadProcess.Setup {
        UploadProcess.Setup(configuration, from: CredentialFolder(path: directory.path))
    }

    func writeCredential(_ name: String, _ text: String) throws { _ = try directory.write(name, text) }

    func eventually(_ what: Comment, _ condition: @DaemonActor () -> Bool) async throws {
        let isTrue = try await TestSupport.eventually { () async -> Bool in condition() }
        try #require(isTrue, what)
    }

    /// Stops everything.
    func end() {
        process.stop(.zero) {}
        process.stop {}
        daemon.stop()
    }

    nonisolated static func configuration(
        _ format: UploadFormat = .overland, url: String = "http://127.0.0.1:8080/in?token=s3cret"
    ) -> UploadConfiguration {
        var configuration = UploadConfiguration()
        do {
            configuration.destination.url = try DestinationURL(parsing: url)
        } catch {
            Issue.record("\(error)")
        }
        configuration.destination.format = format
        configuration.filter = .none
        configuration.device.user = "jane"
        configuration.device.name = "boat"
        return configuration
    }
}
