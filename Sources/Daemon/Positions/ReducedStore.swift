import Cryptography
import Platform
import Tracking

/// The files of reduced accuracy, accessed on a thread that may block on the disk. One thread is started per task,
/// three an hour, and none runs in between.
struct ReducedStore: Sendable {
    /// The result of loading at the start.
    struct Opened: Sendable {
        var field: OffsetField
        var state: ReducedAccuracy.State?
        /// Remarks for the log.
        var remarks: [String]
        /// Files that could not be used.
        var losses: [StateLoss] = []
    }

    private let keyFile: DeviceKeyFile
    private let stateFile: ReducedStateFile

    init(directory: String) {
        keyFile = DeviceKeyFile(stateDirectory: directory)
        stateFile = ReducedStateFile(stateDirectory: directory)
    }

    /// Reads the key and the state, and creates a missing key.
    func open(_ completion: @escaping @Sendable @DaemonActor (Result<Opened, DeviceKeyError>) -> Void) {
        perform(completion) { () throws(DeviceKeyError) in
            let (key, remarks) = try keyFile.load()
            var opened = Opened(field: OffsetField(key), remarks: remarks.map(\.text))
            for case .damaged(let name) in remarks {
                opened.losses.append(StateLoss(file: DeviceKeyFile.name, aside: name, reason: "it is damaged"))
            }
            do throws(SystemError) {
                switch try stateFile.load() {
                case .none: break
                case .state(let state): opened.state = state
                case .unusable(let reason): opened.losses.append(try stateFile.setAside(because: reason))
                }
            } catch {
                throw .system(error)
            }
            return opened
        }
    }

    /// Saves a state, durably.
    func save(
        _ state: ReducedAccuracy.State,
        _ completion: @escaping @Sendable @DaemonActor (Result<Void, DeviceKeyError>) -> Void
    ) {
        perform(completion) { () throws(DeviceKeyError) in
            do throws(SystemError) { try stateFile.save(state) } catch { throw .system(error) }
        }
    }

    /// Replaces the key, durably.
    func rotate(_ completion: @escaping @Sendable @DaemonActor (Result<OffsetField, DeviceKeyError>) -> Void) {
        perform(completion) { () throws(DeviceKeyError) in OffsetField(try keyFile.rotate()) }
    }

    private func perform<Value: Sendable>(
        _ completion: @escaping @Sendable @DaemonActor (Result<Value, DeviceKeyError>) -> Void,
        _ task: @escaping @Sendable () throws(DeviceKeyError) -> Value
    ) {
        do throws(SystemError) {
            try DetachedThread.start(name: "reduced") {
                let result = Result(catching: task)
                DaemonActor.post { completion(result) }
            }
        } catch {
            DaemonActor.post { completion(.failure(.system(error))) }
        }
    }
}

extension OffsetField {
    /// The offset field of a device's key.
    init(_ key: DeviceKey) {
        self.init(keyIdentifier: key.identifier) { key.digest($0, $1, $2) }
    }
}
