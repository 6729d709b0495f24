import CLinux
import Glibc

/// Secret bytes in memory pages of their own. The pages are excluded from core dumps, locked against swapping if the
/// system permits it, and zeroed at the end. Copies that libraries make are not covered.
public final class Secret: @unchecked Sendable {
    // Sendable: no code writes to the pages between init and deinit.
    private let pages: UnsafeMutableRawBufferPointer
    /// The number of bytes.
    public let count: Int

    /// A secret of at most this many bytes. The function writes them and returns how many it wrote.
    public init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int) throws(SystemError) {
        let size = max(1, capacity)
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { throw SystemError("make room for a secret") }
        pages = UnsafeMutableRawBufferPointer(start: address, count: size)
        // Both are attempts: the secret is usable even if the system refuses them.
        _ = madvise(address, size, MADV_DONTDUMP)
        _ = mlock(address, size)
        let result: Result<Int, SystemError>
        do throws(SystemError) { result = .success(try fill(pages)) } catch { result = .failure(error) }
        // All properties must be set before an error is thrown, so that deinit runs.
        switch result {
        case .success(let used): count = min(used, capacity)
        case .failure(let error):
            count = 0
            throw error
        }
    }

    /// The bytes of a text. The original string is not erased.
    public convenience init(_ text: String) throws(SystemError) {
        var text = text
        try self.init(capacity: text.utf8.count) { pages throws(SystemError) in
            text.withUTF8 { pages.copyMemory(from: UnsafeRawBufferPointer($0)) }
            return pages.count
        }
    }

    /// The content of a file, such as one that `LoadCredential=` of systemd.exec(5) provides. EFBIG if it is longer
    /// than the limit.
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

    /// Lends the bytes for the duration of the call. The body must not store or copy them.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: pages[..<count]))
    }

    /// The bytes for a library that stores the pointer, valid as long as the secret exists.
    public var borrowed: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: pages[..<count]) }

    deinit {
        guard let address = pages.baseAddress else { return }
        explicit_bzero(address, pages.count)
        munmap(address, pages.count)
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    /// Does not contain the secret.
    public var description: String { "a secret" }
    /// Does not contain the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
