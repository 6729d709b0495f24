/// A name and its value within an object, as a reader of objects represents them.
protocol NamedJSONValue {
    associatedtype Value
    var key: String { get }
    var value: Value { get set }
    init(_ key: String, _ value: Value)
}

/// Collects the members of an object while it is read. If a name occurs more than once, the member stays at the place of the first
/// occurrence and gets the value of the last one.
///
/// `Member` is the type that the finished object contains, such as `JSON.Member`, so that `members` becomes part of the object without
/// being converted.
struct JSONMemberList<Member: NamedJSONValue> {
    private(set) var members: [Member] = []
    /// The index in `members` of each name by its UTF-8; empty in an object of few members. Strings are not used as keys because two
    /// strings are equal if they are canonically equivalent, even with different bytes, but names of members are different then.
    private var places: [[UInt8]: Int] = [:]
    /// Up to this number, names are compared one by one.
    private static var few: Int { 16 }

    /// Adds a member, or replaces the value of the member with this name.
    mutating func set(_ name: String, to value: Member.Value) {
        if let place = place(of: name) {
            members[place].value = value
            return
        }
        members.append(Member(name, value))
        if members.count > Self.few {
            if places.isEmpty {
                for (index, member) in members.enumerated() { places[Array(member.key.utf8)] = index }
            } else {
                places[Array(name.utf8)] = members.count - 1
            }
        }
    }

    private func place(of name: String) -> Int? {
        guard places.isEmpty else { return places[Array(name.utf8)] }
        return members.firstIndex { member in
            member.key.utf8.count == name.utf8.count && member.key.utf8.elementsEqual(name.utf8)
        }
    }
}
