import Glibc

/// The memory behind the structures of an event: allocated piece by piece, and freed with the event.
final class EventMemory {
    private var pieces: [UnsafeMutableRawPointer] = []

    deinit {
        for piece in pieces { piece.deallocate() }
    }

    /// A copy of a value of a C type.
    func value<Value>(_ value: Value) -> UnsafePointer<Value> {
        let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        pointer.initialize(to: value)
        pieces.append(UnsafeMutableRawPointer(pointer))
        return UnsafePointer(pointer)
    }

    /// A copy of values of a C type; nil for none.
    func array<Value>(_ values: [Value]) -> UnsafePointer<Value>? {
        guard !values.isEmpty else { return nil }
        let pointer = UnsafeMutablePointer<Value>.allocate(capacity: values.count)
        pointer.initialize(from: values, count: values.count)
        pieces.append(UnsafeMutableRawPointer(pointer))
        return UnsafePointer(pointer)
    }

    /// A text, ended by NUL.
    func text(_ text: String) -> UnsafePointer<CChar> {
        let pointer = CText.copy(text)
        pieces.append(UnsafeMutableRawPointer(pointer))
        return UnsafePointer(pointer)
    }

    /// A text; NULL for nil.
    func text(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text else { return nil }
        return self.text(text)
    }

    /// Texts, ended by NULL.
    func texts(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
        let pointer = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
        pointer.initialize(repeating: nil, count: texts.count + 1)
        for (index, text) in texts.enumerated() { pointer[index] = self.text(text) }
        pieces.append(UnsafeMutableRawPointer(pointer))
        return UnsafePointer(pointer)
    }
}
