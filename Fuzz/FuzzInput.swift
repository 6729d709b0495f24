/// An input of libFuzzer whose first byte chooses the parser, compiled together with the targets that have several.
struct FuzzInput {
    /// The number of the parser.
    let choice: UInt8
    /// What the parser reads.
    let rest: [UInt8]

    /// Nil for an input without a byte.
    init?(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        let input = UnsafeBufferPointer(start: start, count: count)
        guard let choice = input.first else { return nil }
        self.choice = choice
        rest = Array(input.dropFirst())
    }
}
