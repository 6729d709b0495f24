/// A name and its value within an object.
protocol NamedJSONValue {
    associatedtype Value
    var key: String { get }
    var value: Value { get set }
    init(_ key: String, _ value: Value)
}

/// The members of an object in the order of the first occurrences of their names, each with the value of its last.
///
/// It has them as whoever reads the object gets them, so that they are not copied once more.
struct JSONMemberList<Member: NamedJSONValue> {
    private(set) var members: [Member] = []
    /// The index of each name by its UTF-8, for objects of many members. Strings are not used as keys because they are
    /// equal even if they are composed differently, which names of members are not.
    private var places: [[UInt8]: Int] = [:]
    /// Up to this number, names are compared one by one.
    private static var few: Int { 16 }

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
