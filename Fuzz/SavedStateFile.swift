// Feeds bytes to the reader of an app's saved state. Compiled together with Sources/Waymark/Restoration.

/// libFuzzer's entry. An even first byte gives the rest a valid first line, because random bytes have no valid checksum.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let body = Array(input.dropFirst())
    let file = first & 1 == 0 ? StateFile.header(of: body) + body : body
    guard let state = StateFile.decode(file) else { return 0 }
    guard let archive = state.archive, let version = state.version else {
        precondition(state.format != StateFile.format, "a state of the present format is read completely, or damaged")
        return 0
    }
    visit(archive.root, depth: 0)
    do throws(StateArchiveError) {
        let written = try StateFile.encode(archive, version: version)
        guard let again = StateFile.decode(written), let read = again.archive else {
            fatalError("a written state is read")
        }
        // Not the values themselves: a number that is none does not equal itself.
        let rewritten = try StateFile.encode(read, version: version)
        precondition(rewritten == written, "a state does not change")
    } catch {
        guard case .tooLarge = error else { fatalError("a state that was read can be written unless it is too large") }
    }
    return 0
}

private func visit(_ object: StateDecoder, depth: Int) {
    precondition(depth <= RestorationPath.maximumLength, "the depth of objects is limited")
    for identifier in object.children {
        guard let child = object.child(identifier) else { fatalError("a child that is listed exists") }
        visit(child, depth: depth + 1)
    }
}
