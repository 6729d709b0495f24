// The examples of State.md in the catalogue, as they are shown: `DocumentationTests` compares the lines.

import Waymark

/// How a list is sorted: an enumeration whose raw value is stored.
enum SortOrder: String, StateValue {
    case name, date
}

extension StateKey<SortOrder> {
    static var order: Self { "order" }
}

extension StateKey<[Int]> {
    static var selection: Self { StateKey("selection") }
}

/// A place on a screen, stored as a list of numbers.
struct ScreenPlace: StateValue {
    var column: Int
    var row: Int

    var stored: StoredValue { .list([.integer(Int64(column)), .integer(Int64(row))]) }

    init?(stored: StoredValue) {
        guard case .list(let values) = stored, values.count == 2, case .integer(let column) = values[0],
            case .integer(let row) = values[1]
        else { return nil }
        self.column = Int(column)
        self.row = Int(row)
    }
}

/// What a stored value is, in words.
func describe(_ value: StoredValue) -> String {
    switch value {
    case .bool(let bool): "\(bool)"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .text(let text): text
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .list(let values): "\(values.count) values, at most \(StoredValue.maximumDepth) deep"
    }
}

/// The archive of a window with a list.
func archive(_ order: SortOrder, _ selection: [Int]) throws(StateArchiveError) -> StateArchive {
    try StateArchive { (app: inout StateEncoder) in
        let identifier: RestorationIdentifier = "window"
        app.child(identifier) { window in
            window.encode(order, for: .order)
            window.child(RestorationIdentifier("list")) { $0.encode(selection, for: .selection) }
        }
    }
}

/// Where in an archive a list is, and what of it is stored.
func selection(in archive: StateArchive) -> [Int] {
    let window: RestorationPath = ["window"]
    let path = window.appending("list")
    precondition(path.parent == window && path.identifiers.count <= RestorationPath.maximumLength)
    guard archive.paths.contains(path), let list: StateDecoder = archive.root.descendant(path) else { return [] }
    print("\(list.path) has \(list.keys.sorted()), \(list.children.map(\.name))")
    return list.decode(.selection) ?? []
}

/// Saves an archive's content, and says what became of it.
func saveList(_ order: SortOrder, _ store: StateStore) -> String {
    do {
        let saving: Saving = try store.save(if: { order != .name }) { $0.encode(order, for: .order) }
        switch saving {
        case .saved: return "saved, at most \(StateStore.maximumSize) bytes"
        case .unwanted: return "nothing to save"
        case .restoring: return "not while a state is restored"
        }
    } catch {
        switch error as StateStoreError {
        case .invalidName(let name): return "\(name) is no name"
        case .noFolder: return "there is no folder"
        case .folderOfOthers(let path): return "\(path) belongs to somebody else"
        case .notStorable(let reason): return describe(reason)
        case .system(let error): return error.description
        }
    }
}

/// What is wrong with a state.
func describe(_ error: StateArchiveError) -> String {
    switch error {
    case .duplicateIdentifier(let path): "two children are called \(path)"
    case .pathTooLong(let path): "\(path) is too long"
    case .valueTooDeep(let path, let key): "\(key) of \(path) is too deep"
    case .tooLarge(let bytes, let limit): "\(bytes) bytes of at most \(limit)"
    }
}

/// Restores an order, unless the person has forced the app to quit.
func restoreOrder(_ store: StateStore, afterForcedQuit: Bool) throws -> (SortOrder, String) {
    var order = SortOrder.name
    let restoration: Restoration = try store.restore(
        afterForcedQuit: afterForcedQuit,
        if: { (saved: SavedState) in saved.contents.count < 10_000 },
        migrating: { saved in saved.format == StateStore.format ? saved.archive : nil }
    ) { app in
        order = app.decode(.order) ?? .name
    }
    switch restoration {
    case .restored: return (order, "restored by version \(store.version)")
    case .nothingSaved: return (order, "nothing was saved")
    case .failed(let error): return (order, "the app could not restore it: \(error)")
    case .discarded(let reason): return (order, describe(reason))
    }
}

/// Why a state was discarded.
func describe(_ reason: Restoration.DiscardReason) -> String {
    switch reason {
    case .forcedQuit: "the person wanted a clean start"
    case .unfinishedRestoration: "it may have crashed the app"
    case .unwanted: "the app did not want it"
    case .damaged: "its checksum is wrong"
    case .tooLarge: "it is larger than any that is saved"
    case .foreign: "the store has not written it"
    case .version(let saved): describe(saved)
    }
}

/// A version that the app could not migrate.
func describe(_ saved: SavedVersion) -> String { "it is of version \(saved.app ?? 0), format \(saved.format)" }

/// Deletes what is saved, when the person signs out.
func signOut(_ store: StateStore) throws(StateStoreError) { try store.discard() }
