extension JSON {
    /// The bytes of the value that these names lead to, within the text of an object that `parse` has accepted; nil where
    /// there is none.
    ///
    /// Where a name occurs twice the last one counts, as in `parse`.
    /// - Parameter maximumDepth: As deep as the text was allowed to be.
    public static func rawValue(
        in text: [UInt8], at path: [String], maximumDepth: Int = 64
    ) -> ArraySlice<UInt8>? {
        do throws(JSONError) {
            var reader = try JSONReader(text, maximumDepth: maximumDepth)
            return try reader.rawValue(at: path[...])
        } catch {
            // The text was accepted, so this cannot be; text that is no JSON has no values.
            return nil
        }
    }
}

extension JSONReader {
    /// Reads a value, and returns the bytes of what the names lead to in it.
    fileprivate mutating func rawValue(at path: ArraySlice<String>) throws(JSONError) -> ArraySlice<UInt8>? {
        guard let name = path.first else { return try raw() }
        guard kind == .object else {
            try skip()
            return nil
        }
        var found: ArraySlice<UInt8>?
        try members { (reader) throws(JSONError) in
            if reader.nameText.utf8.elementsEqual(name.utf8) {
                found = try reader.rawValue(at: path.dropFirst())
            } else {
                try reader.skip()
            }
        }
        return found
    }
}
