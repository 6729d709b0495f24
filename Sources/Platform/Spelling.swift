/// Finds the name that was probably meant.
public enum Spelling {
    /// The only name that begins with a text of two letters or more. Otherwise the name nearest to the text, if it is near
    /// enough: it differs in one letter or in a third of the letters of the longer one. Upper case and spaces do not matter.
    public static func nearest(to text: String, among names: [String]) -> String? {
        // The cost is the product of the lengths, and no name is near to a long text.
        guard text.utf8.count <= 64 else { return nil }
        let typed = Array(text.lowercased().unicodeScalars.filter { $0 != " " })
        let spellings = names.map { Array($0.lowercased().unicodeScalars) }
        let longer = spellings.indices.filter { spellings[$0].starts(with: typed) }
        if typed.count >= 2, longer.count == 1, let only = longer.first { return names[only] }
        var best: (name: String, distance: Int)?
        for (name, meant) in zip(names, spellings) {
            let distance = distance(typed, meant)
            if distance <= max(1, max(typed.count, meant.count) / 3), distance < best?.distance ?? .max {
                best = (name, distance)
            }
        }
        return best?.name
    }

    /// The number of insertions, deletions, replacements and swaps of neighbouring letters between two texts: the
    /// optimal string alignment distance.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
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
