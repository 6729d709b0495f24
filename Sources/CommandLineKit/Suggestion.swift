/// Finds the word that was probably meant.
enum Suggestion {
    /// The nearest of the words, where it is near enough to be a typing error.
    static func nearest(to word: String, among words: [String]) -> String? {
        let allowed = max(1, word.count / 3)
        let begun = words.filter { word.count >= 2 && $0.hasPrefix(word) }
        if begun.count == 1 { return begun.first }
        return words.map { ($0, distance(word, $0)) }.filter { $0.1 <= allowed }.min { $0.1 < $1.1 }?.0
    }

    /// The number of letters to insert, delete, replace or swap with their neighbour to get from one word to the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
