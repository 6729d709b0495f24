import Platform
import TestSupport
import Waymark

extension StateKey<Int> {
    static var number: Self { "number" }
}

extension StateKey<String> {
    static var title: Self { "title" }
}

/// The folder of an app, and stores in it.
struct StateScene {
    let directory: TemporaryDirectory
    /// The file of the saved state.
    var file: String { directory.file("restoration.state") }
    /// The file of a state during its restoration.
    var openedFile: String { directory.file("restoration.state.opened") }

    init() throws { directory = try TemporaryDirectory() }

    /// The store as a newly started process has it.
    func store(version: Int = 1) throws -> StateStore {
        try StateStore(app: "org.example.Reader", version: version, folder: directory.path)
    }

    /// Saves a number.
    func save(_ number: Int, version: Int = 1) throws {
        try store(version: version).save { $0.encode(number, for: .number) }
    }

    /// The number that a newly started process restores, and the result.
    func restore(version: Int = 1) throws -> (number: Int?, result: Restoration) {
        var number: Int?
        let result = try store(version: version).restore { number = $0.decode(.number) }
        return (number, result)
    }

    /// The names of the files.
    var names: [String] { DirectoryListing.names(directory.path).sorted() }
}

extension Restoration {
    /// Why the state was discarded; nil if it was not.
    var reason: DiscardReason? {
        if case .discarded(let reason) = self { reason } else { nil }
    }

    var isRestored: Bool {
        if case .restored = self { true } else { false }
    }

    var isNothing: Bool {
        if case .nothingSaved = self { true } else { false }
    }
}
