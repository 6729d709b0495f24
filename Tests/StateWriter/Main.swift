import Glibc
import Platform
import Waymark

/// Saves and restores the state of an app in a folder, and writes what it is about to do and what it has done to a file:
/// waymark-state-writer FOLDER RECORD STEP...
///
/// A step is `save:NUMBER`, `restore`, or `crash`, a restoration that ends the process with SIGKILL.
@main struct StateWriterProgram {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else {
            print("usage: waymark-state-writer FOLDER RECORD STEP...")
            exit(2)
        }
        let record = try OwnedDescriptor("open", subject: arguments[2]) {
            open(arguments[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        let number = record.number
        func report(_ line: String) {
            let text = line + "\n"
            guard write(number, text, text.utf8.count) == text.utf8.count else { exit(3) }
        }
        let store: StateStore
        do throws(StateStoreError) {
            store = try StateStore(app: "org.example.Writer", version: 1, folder: arguments[1])
        } catch {
            return report("failed \(error)")
        }
        for step in arguments[3...] {
            let parts = step.split(separator: ":")
            do throws(StateStoreError) {
                if parts[0] == "save", let value = Int(parts[1]) {
                    report("save \(value)")
                    try store.save { state in
                        state.encode(value, for: StateKey<Int>("number"))
                        // More than one page.
                        state.encode([Int](repeating: value, count: 5_000), for: StateKey<[Int]>("many"))
                    }
                    report("saved \(value)")
                } else {
                    report("restore")
                    let restoration = try store.restore { state in
                        let many = state.decode(StateKey<[Int]>("many"))
                        report("seen \(state.decode(StateKey<Int>("number")) ?? -1) \(many?.count ?? -1)")
                        if step == "crash" { raise(SIGKILL) }
                    }
                    report("ended \(restoration)")
                }
            } catch {
                report("failed \(error)")
            }
        }
    }
}
