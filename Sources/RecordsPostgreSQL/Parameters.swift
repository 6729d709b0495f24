import RecordTables

/// The values of a statement's parameters in the binary format, in one piece of memory.
struct Parameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []

    init(_ values: [StoredValue]) throws(TableError) {
        for value in values {
            switch value {
            case .null: add(nil)
            case .integer(let integer): add(integer)
            case .counter(let counter): add(try StoredValue.number(of: counter))
            case .text(let text): add(Array(text.utf8))
            case .blob(let blob): add(blob)
            }
        }
    }

    /// No parameters.
    init() {}

    /// Bytes.
    init(bytes: [UInt8]) { add(bytes) }

    /// A number and a list of texts.
    init(_ number: Int64, _ texts: [String]) {
        add(number)
        add(texts)
    }

    /// A list of texts.
    init(texts: [String]) { add(texts) }

    /// An array of one dimension, whose format is in the file arrayfuncs.c of PostgreSQL.
    private mutating func add(_ texts: [String]) {
        var list: [UInt8] = []
        func append(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { list += $0 } }
        // One dimension, no NULL, the type text; so many elements, from the index 1 on.
        for number in [1, 0, 25, Int32(texts.count), 1] { append(number) }
        for text in texts {
            append(Int32(text.utf8.count))
            list += text.utf8
        }
        add(list)
    }

    private mutating func add(_ integer: Int64) { add(withUnsafeBytes(of: integer.bigEndian) { Array($0) }) }

    private mutating func add(_ value: [UInt8]?) {
        offsets.append(value == nil ? nil : bytes.count)
        lengths.append(Int32(value?.count ?? 0))
        bytes += value ?? []
    }

    /// Passes the number of parameters, the addresses of the values, their lengths and their formats to the body.
    func with<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Result
    ) -> Result {
        // One byte more, so that an empty value at the end has an address: without one it would be NULL.
        (bytes + [0]).withUnsafeBytes { memory in
            let start = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return body(Int32(offsets.count), pointers, lengths, [Int32](repeating: 1, count: offsets.count))
        }
    }
}
