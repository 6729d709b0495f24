import Glibc
import NetworkPaths

extension UnreachableReason {
    /// The meaning of a refusal by the kernel, errno(3).
    init(errno: Int32) {
        switch errno {
        case EHOSTUNREACH: self = .unreachableRoute
        case EACCES, EPERM: self = .prohibited
        case EINVAL: self = .blackhole
        case ENETDOWN: self = .noCarrier
        // ENETUNREACH; EAGAIN of a `throw` route without a following rule; ESRCH of an empty table; ENODEV for an
        // interface that no longer exists.
        default: self = .noRoute
        }
    }

    /// The reason why a route of this type transmits nothing; nil if it does.
    init?(refusing kind: Route.Kind) {
        switch kind {
        case .unicast, .local, .broadcast, .anycast, .multicast: return nil
        case .blackhole: self = .blackhole
        case .unreachable: self = .unreachableRoute
        case .prohibit: self = .prohibited
        case .throw, .other: self = .noRoute
        }
    }
}
