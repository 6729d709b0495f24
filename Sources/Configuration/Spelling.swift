/// Finds the name that was probably meant.
public enum Spelling {
    /// The name nearest to a text, if it is near enough: it differs in one letter or in a third of the letters.
    /// Otherwise the only name that begins with the text.
    public static func nearest(to text: String, among names: [String]) -> String? {
        // The cost is the product of the lengths, and no name is near to a long text.
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

    /// The number of insertions, deletions, replacements and swaps of neighbouring letters between two texts: the
    /// optimal string alignment distance.
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
