import JSONText

/// All that is in one line of gpsd's, found in a single pass: each member of each object and array by its place, parents
/// before what is in them.
///
/// libgps 3.22 does not end on some texts that are no JSON it knows: nothing reaches it that was not found here.
struct LineMembers {
    /// Objects and arrays within each other; gpsd's deepest report has 3.
    static let maximumDepth = 8
    /// Members of one object; gpsd's richest report has about 60.
    static let maximumMembers = 256

    /// The line's own object is the first of them.
    private var members: [LineMember] = []

    /// Finds the members of a line, which is without its end.
    mutating func read(_ line: Span<UInt8>) throws(LineFault) {
        members.removeAll(keepingCapacity: members.capacity <= 4_096)
        // gpsd has been known to print `nan`, which is no JSON but no reason to lose the line.
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

    /// The member at a place.
    subscript(place: Int) -> LineMember { members[place] }

    /// The places of the members of an object, or of the elements of an array, in their order; of the line's own object
    /// if no other is named.
    func children(of parent: Int = 0) -> Children {
        Children(members: members, place: parent + 1, end: members.isEmpty ? 0 : members[parent].next)
    }

    /// The places of the members of one object, or of the elements of one array.
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

    /// The place of the first member of this name and kind in an object; of the line's own if no other is named.
    func first(_ name: StaticString, _ kind: JSONKind, of parent: Int = 0, in line: Span<UInt8>) -> Int? {
        for place in children(of: parent) where members[place].kind == kind && line.isEqual(members[place].key, name) {
            return place
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Whether these bytes are this word.
    func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        // The pointer has utf8CodeUnitCount bytes, which is the count of the range.
        for offset in 0..<range.count where self[range.lowerBound + offset] != word.utf8Start[offset] { return false }
        return true
    }
}
