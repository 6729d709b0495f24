import Glibc
import Platform
import Waymark

/// A program of `Application.run` that writes each call of its delegate as a line, and counts its launches in its state.
///
/// Its options: `active` has it begin in front; with `path` or a region it requests to be woken, with `push` it handles pushes; `sleep` has it end when it has
/// handled what is pending. It does what the lines of its standard input say: `active`, `background`, `terminate`.
@MainActor final class LifeProgram: ApplicationDelegate {
    private let record: SleeperRecord
    private let options: Set<String>
    private var launches = 0

    private init(_ record: SleeperRecord, _ options: Set<String>) {
        self.record = record
        self.options = options
    }

    static func run(_ record: SleeperRecord, state: String, options: Set<String>) async throws {
        let store = try StateStore(app: "org.example.Life", version: 1, folder: state)
        await Application.run(
            LifeProgram(record, options), activity: options.contains("active") ? .active : .background, store: store)
        record.write("ended")
    }

    func application(
        _ application: Application, didFinishLaunchingWithOptions launchOptions: Application.LaunchOptions
    ) {
        launches += 1
        record.write("launched \(describe(launchOptions)) for the \(launches). time")
        obey(application)
        handleEvents(application)
    }

    func application(_ application: Application, didResumeWithOptions launchOptions: Application.LaunchOptions) {
        record.write("resumed \(describe(launchOptions))")
        handleEvents(application)
    }

    func applicationDidBecomeActive(_ application: Application) { record.write("became active") }
    func applicationWillResignActive(_ application: Application) { record.write("will resign active") }
    func applicationDidEnterBackground(_ application: Application) { record.write("entered background") }
    func applicationWillEnterForeground(_ application: Application) { record.write("will enter foreground") }
    func applicationWillTerminate(_ application: Application) { record.write("will terminate") }
    func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {
        record.write(application.protectedData == .unavailable ? "data is unavailable" : "data will be unavailable")
    }
    func applicationProtectedDataDidBecomeAvailable(_ application: Application) { record.write("data is available") }

    func application(_ application: Application, didDecodeRestorableStateWith state: StateDecoder) {
        launches = state.decode(.launches) ?? 0
    }

    func application(_ application: Application, didEndRestoration restoration: Restoration) {
        if case .discarded(let reason) = restoration { record.write("discarded \(reason)") }
    }

    func application(_ application: Application, willEncodeRestorableStateWith state: inout StateEncoder) {
        state.encode(launches, for: .launches)
        record.write("saved")
    }

    private func describe(_ options: Application.LaunchOptions) -> String {
        guard let reason = options.reason else { return "without a reason" }
        return (reason.cause?.rawValue ?? "by itself") + (options.location ? " for a place" : "")
    }

    /// Does what the lines of standard input say.
    private func obey(_ application: Application) {
        let orders = AsyncStream<String> { output in
            do throws(SystemError) {
                try DetachedThread.start(name: "orders") {
                    while let line = readLine() { output.yield(line) }
                    output.finish()
                }
            } catch {
                output.finish()
            }
        }
        Task {
            for await order in orders {
                switch order {
                case "active": application.setActivity(.active)
                case "background": application.setActivity(.background)
                default: application.terminate()
                }
            }
        }
    }

    private func handleEvents(_ application: Application) {
        let requests = options.filter { $0.hasPrefix("region=") || $0 == "path" || $0 == "push" }.sorted()
        guard !requests.isEmpty else { return }
        Task {
            let sleeper = Sleeper(record, percent: 0)
            do {
                try await sleeper.request(requests[...])
                record.write("requested")
                while try await sleeper.handleNext() {}
            } catch {
                record.write("failed \(error)")
            }
            if options.contains("sleep") { application.terminate() }
        }
    }
}

extension StateKey<Int> {
    fileprivate static var launches: Self { "launches" }
}
