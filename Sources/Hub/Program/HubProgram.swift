import CommandLineKit
import Cryptography
import Glibc
import Interfaces
import Platform
import RecordsPostgreSQL
import RecordsSQLite
import Varlink

/// The program `waymark-hub`.
public enum HubProgram {
    /// Parses this process's arguments, and runs the command.
    public static func run() -> ExitCode {
        Output.ignoreBrokenPipes()
        Log.program = "waymark-hub"
        switch HubCommand.command.start(version: WaymarkVersion.text) {
        case .end(let code): return code
        case .run(let invocation):
            do {
                try perform(invocation)
                return .success
            } catch VarlinkError.cannotConnect(let error) where error.code == ENOENT || error.code == ECONNREFUSED {
                return fail(nobodyThere(invocation), .notRunning)
            } catch OutputError.closed {
                return .success
            } catch {
                return fail("\(error)", .failure)
            }
        }
    }

    private static func perform(_ invocation: Invocation) throws {
        if invocation.path.dropLast().last == "schema" {
            return try HubSchema(console: HubConsole(invocation)).perform()
        }
        if invocation.path.dropLast().last == "team" { return try HubTeam(console: HubConsole(invocation)).perform() }
        switch invocation.path.last {
        case "serve": try HubServer.serve(try ServeOptions(invocation))
        case "restored": try restored(invocation)
        case "doctor": try HubDoctor(invocation).run()
        default: try HubAdministration(console: HubConsole(invocation)).perform()
        }
    }

    /// Makes a new key while no hub runs, which the engine ensures.
    private static func restored(_ invocation: Invocation) throws {
        if let database = try DatabaseAddress.text(invocation) {
            try PostgreSQLEngine(database).replaceHubKey(by: RandomBytes.make(SymmetricKey.size))
            return try reportNewKey("The hubs of the database have a new key.")
        }
        let folder = HubFolder(path: invocation.text("folder") ?? HubFolder.standard)
        guard access(folder.path + "/records.sqlite", F_OK) == 0 else {
            throw HubStartError("\(folder.path) has no records.sqlite: restore the backup first, or name its --folder")
        }
        let engine = try SQLiteEngine(folder: folder.path)
        try withExtendedLifetime(engine) { _ = try folder.renewKey() }
        try reportNewKey("The hub has a new key.")
    }

    private static func reportNewKey(_ fact: String) throws {
        let output = Output(descriptor: STDOUT_FILENO)
        try output.line("\(fact) Each client fetches everything once and sends what is missing.")
        try output.flush()
    }

    private static func nobodyThere(_ invocation: Invocation) -> String {
        let folder = invocation.text("folder") ?? HubFolder.standard
        return "no hub runs with the folder \(folder). Start it with `waymark-hub serve`, or name its --folder."
    }

    private static func fail(_ text: String, _ code: ExitCode) -> ExitCode {
        let remarks = Output(descriptor: STDERR_FILENO, flushesEachLine: true)
        // If standard error fails, the error cannot be reported.
        do throws(OutputError) { try remarks.line("waymark-hub: \(text)") } catch {}
        return code
    }
}
