/// A member of a JSON object, by its place in the line.
struct JSONMember {
    enum Kind { case string, number, boolean, object, array, other }

    /// Without its quotes, escapes as they stand.
    var key: Range<Int>
    /// A string without its quotes, anything else whole.
    var value: Range<Int>
    var kind: Kind
}
