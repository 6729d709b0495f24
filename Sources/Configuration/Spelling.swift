/// Finds the name that somebody meant to type.
public enum Spelling {
    /// The name nearest to a text, where one is near enough to be meant: different in a third of its letters, or in
    /// one; failing that, the only one that begins with the text.
    public static func nearest(to text: String, among names: [String]) -> String? {
        // The work is the product of the lengths; no name of ours is near to a long text.
        guard text.utf8.count <= 64 else { return nil }
        let typed = Array(text.lowercased().unicodeScalars.filter { $0 != " " })
        var best: (name: String, distance: Int)?
        for name in names {
            let meant = Array(name.lowercased().unicodeScalars)
            let distance = distance(typed, meant)
            if distance <= max(1, meant.count / 3), distance < best?.distance ?? .max { best = (name, distance) }
        }
        if let best { return best.name }
        let longer = names.filter { $0.lowercased().hasPrefix(text.lowercased()) }
        return typed.count >= 3 && longer.count == 1 ? longer.first : nil
    }

    /// How many letters have to be put in, left out, replaced or swapped with their neighbour: the optimal string
    /// alignment distance.
    static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
