import JSONText
import TestSupport

extension JSON {
    /// A random value of at most this depth.
    static func random(depth: Int, using random: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2:
            return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
        case 3: return .number((Double.random(in: -1e6...1e6, using: &random) * 1e3).rounded() / 1e3)
        case 4, 5: return .string(text(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            // Some names occur twice, and some objects have more members than are compared one by one.
            let count = Int.random(in: 0..<40, using: &random)
            return .object(
                (0..<count).map { _ in
                    JSON.Member(
                        "\(Int.random(in: 0..<60, using: &random))",
                        .random(depth: depth > 1 ? 1 : 0, using: &random))
                })
        }
    }

    private static func text(using random: inout SeededGenerator) -> String {
        let signs: [Character] = ["a", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "é", "e\u{301}", "€", "😀", " "]
        return String(
            (0..<Int.random(in: 0..<9, using: &random)).compactMap { _ in signs.randomElement(using: &random) })
    }
}
