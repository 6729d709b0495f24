import CommandLineKit
import Configuration
import Glibc
import Interfaces
import Platform
import Waker

@main
struct Main {
    static func main() {
        switch WakerCommand.command.start(version: WaymarkVersion.described) {
        case .end(let code): exit(code.rawValue)
        case .run(let invocation): exit(run(invocation).rawValue)
        }
    }

    private static func run(_ invocation: Invocation) -> ExitCode {
        let file = invocation.text("config") ?? Configuration.defaultFile
        let settings = Configuration.load(mainFile: file, isExplicit: invocation.isGiven("config")).settings
        Log.program = "waymark-waker"
        Log.level = settings.log.level
        do {
            try WakerRun.run(
                socketPath: invocation.text("socket") ?? settings.socket.path,
                managerPath: invocation.text("manager") ?? WakerRun.machineManager,
                manifests: WakeManifests(folders: settings.authorization.manifests, user: nil))
            return .success
        } catch {
            Log.error("not started: \(error)")
            return .failure
        }
    }
}
