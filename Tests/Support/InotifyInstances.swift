import CLinux
import Glibc
import Platform

/// Uses up all instances of inotify(7) of a user, so that no program of that user gets one until they are
/// released. The kernel counts them by user.
public final class InotifyInstances {
    /// A user of this process's own, whose instances are of no other test's.
    public static let user = uid_t(1_000_000) + uid_t(getpid())
    /// Whether that is possible: it needs root, and the limit must not exceed a process's number of descriptors.
    public static var canBeAdopted: Bool { OtherUser.isPossible && limit.map { $0 <= 512 } ?? false }

    private static let limit: Int? = {
        do throws(SystemError) {
            let text = try BoundedFile.bytes(of: "/proc/sys/fs/inotify/max_user_instances", limit: 64)
            return Int(String(decoding: text, as: UTF8.self).prefix { $0.isNumber })
        } catch {
            return nil
        }
    }()

    private var taken: [Int32] = []

    /// Acquires those of `user`.
    public init() throws {
        taken = try OtherUser.act(as: Self.user) {
            (0...(Self.limit ?? 0)).compactMap { _ in
                let number = inotify_init1(Int32(IN_CLOEXEC))
                return number < 0 ? nil : number
            }
        }
    }

    deinit {
        giveBack()
    }

    /// Releases them.
    public func giveBack() {
        for number in taken { close(number) }
        taken = []
    }
}
