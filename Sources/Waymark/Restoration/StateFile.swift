import JSONText

/// The format of a store's file.
///
/// The first line is the same in all formats: `waymark state FORMAT CHECKSUM`. The checksum detects damage; it does not
/// authenticate the file, which only its owner can write. The rest is JSON in format 1:
///
///     {"version":3,"objects":[{"path":[],"values":[["page",7]]},{"path":["reader"],"values":[]}]}
///
/// Bytes are written as `{"bytes":"0aff"}`, and numbers that are not finite as `{"number":"inf"}`.
enum StateFile {
    /// The format that this release writes.
    static let format = 1
    /// The most bytes of a file.
    static let limit = 1 << 20

    private static let signature = "waymark state"
    /// Longer than any first line.
    private static let longestHeader = 80
    /// The brackets around a value, and those of its lists and bytes.
    private static let maximumDepth = 8 + StoredValue.maximumDepth

    /// The content of a file for a state.
    ///
    /// - Throws: `.tooLarge`.
    static func encode(_ archive: StateArchive, version: Int) throws(StateArchiveError) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version", version)
            writer.array("objects") { writer in
                for path in archive.paths { write(path, archive.values[path] ?? [:], to: &writer) }
            }
        }
        let file = header(of: writer.bytes) + writer.bytes
        guard file.count <= limit else { throw .tooLarge(bytes: file.count, limit: limit) }
        return file
    }

    /// The first line before a body of this format.
    static func header(of body: [UInt8], format: Int = format) -> [UInt8] {
        Array("\(signature) \(format) \(checksum(of: body, format: format))\n".utf8)
    }

    private static func write(_ path: RestorationPath, _ values: StateArchive.Values, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("path", path.identifiers.map(\.name))
            writer.array("values") { writer in
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    writer.array { writer in
                        writer.string(name)
                        writer.value(value.json)
                    }
                }
            }
        }
    }

    /// The state in a file; nil if the file is damaged.
    static func decode(_ file: [UInt8]) -> SavedState? {
        guard let end = file.prefix(longestHeader).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: file[..<end], as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        let body = Array(file[(end + 1)...])
        guard words.count == 4, "\(words[0]) \(words[1])" == signature, let format = Int(words[2]),
            words[3] == checksum(of: body, format: format)
        else { return nil }
        guard format == Self.format else {
            return SavedState(format: format, version: nil, archive: nil, contents: body)
        }
        guard let content = parse(body), let version = content["version"]?.integerValue.flatMap({ Int(exactly: $0) }),
            let objects = content["objects"]?.arrayValue, let archive = archive(of: objects)
        else { return nil }
        return SavedState(format: format, version: version, archive: archive, contents: body)
    }

    private static func parse(_ body: [UInt8]) -> JSON? {
        do throws(JSONError) {
            // Each value, name and bracket that is counted has at least one byte.
            return try JSON.parse(body, maximumDepth: maximumDepth, maximumValues: limit)
        } catch {
            return nil
        }
    }

    private static func archive(of objects: [JSON]) -> StateArchive? {
        var archive = StateArchive()
        for (index, object) in objects.enumerated() {
            guard let names = object["path"]?.arrayValue, names.count <= RestorationPath.maximumLength,
                let values = object["values"]?.arrayValue
            else { return nil }
            let identifiers = names.compactMap { $0.stringValue.map { RestorationIdentifier($0) } }
            let path = RestorationPath(identifiers)
            guard identifiers.count == names.count else { return nil }
            if let parent = path.parent, let last = identifiers.last {
                guard archive.add(last, below: parent) else { return nil }
            } else if index > 0 {
                return nil
            }
            for pair in values {
                guard let name = pair[0]?.stringValue, let value = pair[1].flatMap({ StoredValue($0) }) else {
                    return nil
                }
                archive.set(value, for: name, of: path)
            }
        }
        return archive
    }

    /// 64-bit FNV-1a of the format's number and the body, draft-eastlake-fnv: protects against accidental damage.
    private static func checksum(of body: [UInt8], format: Int) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(format)\n".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
