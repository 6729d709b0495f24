import JSONText

/// All members of a line of gpsd, found in a single pass: the positions of each member of each object and array,
/// parents before their content.
///
/// libgps 3.22 does not terminate on some texts that are invalid JSON, so it receives only what was parsed here.
struct LineMembers {
    /// The deepest nesting; gpsd's deepest report has 3.
    static let maximumDepth = 8
    /// The most members of one object; gpsd's largest report has about 60.
    static let maximumMembers = 256

    /// The first one is the line's own object.
    private var members: [LineMember] = []

    /// Parses a line, which is given without its end.
    mutating func read(_ line: Span<UInt8>) throws(LineFault) {
        members.removeAll(keepingCapacity: members.capacity <= 4_096)
        // Some releases of gpsd print `nan`, which is invalid JSON but no reason to reject the line.
        var cursor = JSONCursor(maximumDepth: Self.maximumDepth, isLenient: true)
        do throws(JSONError) {
            cursor.skipSpace(in: line)
            guard cursor.kind(in: line) == .object else { throw JSONError(reason: .structure, offset: 0) }
            try value(of: 0..<0, of: line, cursor: &cursor)
            try cursor.end(in: line)
        } catch {
            throw switch error.reason {
            case .tooDeep: .tooDeep
            case .tooManyValues: .tooManyMembers
            default: .notAnObject
            }
        }
    }

    private mutating func value(
        of key: Range<Int>, of line: Span<UInt8>, cursor: inout JSONCursor
    ) throws(JSONError) {
        let place = members.count
        switch cursor.kind(in: line) {
        case .object:
            members.append(LineMember(key: key, value: 0..<0, kind: .object, next: 0))
            try object(line, &cursor)
            members[place] = LineMember(key: key, value: 0..<0, kind: .object, next: members.count)
        case .array:
            members.append(LineMember(key: key, value: 0..<0, kind: .array, next: 0))
            if try cursor.beginArray(in: line) {
                repeat { try value(of: 0..<0, of: line, cursor: &cursor) } while try cursor.continueArray(in: line)
            }
            members[place] = LineMember(key: key, value: 0..<0, kind: .array, next: members.count)
        default:
            let (value, kind) = try cursor.scalar(in: line)
            members.append(LineMember(key: key, value: value, kind: kind, next: place + 1))
        }
    }

    private mutating func object(_ line: Span<UInt8>, _ cursor: inout JSONCursor) throws(JSONError) {
        guard try cursor.beginObject(in: line) else { return }
        var count = 0
        repeat {
            count += 1
            guard count <= Self.maximumMembers else { throw JSONError(reason: .tooManyValues, offset: cursor.offset) }
            try value(of: try cursor.name(in: line).range, of: line, cursor: &cursor)
        } while try cursor.continueObject(in: line)
    }

    /// The member at an index.
    subscript(place: Int) -> LineMember { members[place] }

    /// The indices of an object's members, or of an array's elements, in order; by default those of the line's own
    /// object.
    func children(of parent: Int = 0) -> Children {
        Children(members: members, place: parent + 1, end: members.isEmpty ? 0 : members[parent].next)
    }

    /// A sequence of the indices of one object's members, or one array's elements.
    struct Children: Sequence, IteratorProtocol {
        fileprivate let members: [LineMember]
        fileprivate var place: Int
        fileprivate let end: Int

        mutating func next() -> Int? {
            guard place < end else { return nil }
            defer { place = members[place].next }
            return place
        }
    }

    /// The index of the first member with this name and kind in an object; by default in the line's own object.
    func first(_ name: StaticString, _ kind: JSONKind, of parent: Int = 0, in line: Span<UInt8>) -> Int? {
        for place in children(of: parent) where members[place].kind == kind && line.isEqual(members[place].key, name) {
            return place
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Whether the bytes in this range are this word.
    func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        // The pointer has utf8CodeUnitCount bytes, which equals the count of the range.
        for offset in 0..<range.count where self[range.lowerBound + offset] != word.utf8Start[offset] { return false }
        return true
    }
}
