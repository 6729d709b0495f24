import CLinux
import Glibc

/// Bytes that nobody else is to see: in pages of their own, which are not swapped out where that may be had, are in no
/// core dump, and are zeroed when the value goes. What libraries copy of them is theirs.
public final class Secret: @unchecked Sendable {
    // Sendable: nothing writes to the pages between init and deinit.
    private let pages: UnsafeMutableRawBufferPointer
    /// How many bytes it has.
    public let count: Int

    /// So many bytes, filled by a function that says how many of them it has used.
    public init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int) throws(SystemError) {
        let size = max(1, capacity)
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { throw SystemError("make room for a secret") }
        pages = UnsafeMutableRawBufferPointer(start: address, count: size)
        // More than both cannot be done where they are refused.
        _ = madvise(address, size, MADV_DONTDUMP)
        _ = mlock(address, size)
        let result: Result<Int, SystemError>
        do throws(SystemError) { result = .success(try fill(pages)) } catch { result = .failure(error) }
        // All that is stored has to be before it is thrown, so that deinit does the rest.
        switch result {
        case .success(let used): count = min(used, capacity)
        case .failure(let error):
            count = 0
            throw error
        }
    }

    /// A text, which is where it came from as well.
    public convenience init(_ text: String) throws(SystemError) {
        var text = text
        try self.init(capacity: text.utf8.count) { pages throws(SystemError) in
            text.withUTF8 { pages.copyMemory(from: UnsafeRawBufferPointer($0)) }
            return pages.count
        }
    }

    /// A file, as `LoadCredential=` of systemd.exec(5) makes one; EFBIG where it has more bytes than the limit.
    public convenience init(reading path: String, limit: Int = 65_536) throws(SystemError) {
        let file = try OwnedDescriptor("open", subject: path) { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        let number = file.number
        try self.init(capacity: limit + 1) { pages throws(SystemError) in
            var used = 0
            while used < pages.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: pages[used...])
                let count = try retrying("read", subject: path) { read(number, rest.baseAddress, rest.count) }
                if count == 0 { return used }
                used += count
            }
            throw SystemError("read", code: EFBIG, subject: path)
        }
    }

    /// Lends the bytes, which are not to be kept or copied to where they stay.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: pages[..<count]))
    }

    /// The bytes for a library that keeps the pointer: good as long as the secret.
    public var borrowed: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: pages[..<count]) }

    deinit {
        guard let address = pages.baseAddress else { return }
        explicit_bzero(address, pages.count)
        munmap(address, pages.count)
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    /// Nothing of what it is.
    public var description: String { "a secret" }
    /// Nothing of what it is.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
