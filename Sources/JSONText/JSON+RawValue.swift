extension JSON {
    /// The bytes of the value at a path of names, within the text of an object that `parse` has accepted; nil if there
    /// is none.
    ///
    /// If a name occurs twice, the last one counts, as in `parse`.
    /// - Parameter maximumDepth: The depth that was permitted for the text.
    public static func rawValue(
        in text: [UInt8], at path: [String], maximumDepth: Int = 64
    ) -> ArraySlice<UInt8>? {
        do throws(JSONError) {
            var reader = try JSONReader(text, maximumDepth: maximumDepth)
            return try reader.rawValue(at: path[...])
        } catch {
            // The text was accepted before, so this cannot happen; text that is not JSON has no values.
            return nil
        }
    }
}

extension JSONReader {
    /// Reads a value, and returns the bytes at the path in it.
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
