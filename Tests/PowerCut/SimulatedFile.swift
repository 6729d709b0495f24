/// A file on the simulated disk: its safe content, and the later writes, which may be lost.
struct SimulatedFile {
    /// A change that is not synchronized; `index` orders the changes of all files.
    struct Change {
        enum Kind {
            case write(offset: Int, bytes: ArraySlice<UInt8>)
            case truncate(size: Int)
        }

        let index: Int
        let kind: Kind
    }

    private(set) var durable: [UInt8]
    private(set) var pending: [Change] = []

    init(durable: [UInt8] = []) { self.durable = durable }

    mutating func add(_ kind: Change.Kind, at index: Int) { pending.append(Change(index: index, kind: kind)) }

    /// All that was done before an index is safe from now on.
    mutating func synchronize(before index: Int) {
        durable = content(applying: pending.prefix { $0.index < index })
        pending.removeFirst(pending.prefix { $0.index < index }.count)
    }

    /// The content with the changes before an index and no others.
    func content(before index: Int) -> [UInt8] { content(applying: pending.prefix { $0.index < index }) }

    private func content(applying changes: ArraySlice<Change>) -> [UInt8] {
        var content = durable
        for change in changes { Self.apply(change, to: &content) }
        return content
    }

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change.kind {
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
            content.replaceSubrange(offset..<end, with: bytes)
        case .truncate(let size):
            if content.count > size {
                content.removeLast(content.count - size)
            } else {
                content += [UInt8](repeating: 0, count: size - content.count)
            }
        }
    }

    /// The content where each block, and the size, is from some time since it was safe, independently of the others: a
    /// disk writes its cache at any time, in any order.
    func scattered(blockSize: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        guard !pending.isEmpty else { return durable }
        // How each block was after each change that touched it, and how long the file was.
        var versions: [Int: [[UInt8]]] = [:]
        var sizes = [durable.count]
        var content = durable
        func block(_ number: Int) -> [UInt8] {
            let part = Array(content.dropFirst(number * blockSize).prefix(blockSize))
            return part + [UInt8](repeating: 0, count: blockSize - part.count)
        }
        for change in pending {
            let size = content.count
            let touched: ClosedRange<Int>
            switch change.kind {
            case .write(let offset, let bytes):
                touched = (offset / blockSize)...((offset + max(1, bytes.count) - 1) / blockSize)
            case .truncate(let new):
                if new == size { continue }
                touched = (min(new, size) / blockSize)...((max(new, size) - 1) / blockSize)
            }
            for number in touched where versions[number] == nil { versions[number] = [block(number)] }
            Self.apply(change, to: &content)
            for number in touched { versions[number]?.append(block(number)) }
            if content.count != size { sizes.append(content.count) }
        }
        var result = durable
        let size = sizes.randomElement(using: &random) ?? durable.count
        for (number, versions) in versions.sorted(by: { $0.key < $1.key }) {
            guard let version = versions.randomElement(using: &random) else { continue }
            let offset = number * blockSize
            if result.count < offset + blockSize {
                result += [UInt8](repeating: 0, count: offset + blockSize - result.count)
            }
            result.replaceSubrange(offset..<(offset + blockSize), with: version)
        }
        if result.count < size { result += [UInt8](repeating: 0, count: size - result.count) }
        return Array(result.prefix(size))
    }
}
