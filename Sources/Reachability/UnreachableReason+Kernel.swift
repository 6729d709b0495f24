import Glibc
import NetworkPaths

extension UnreachableReason {
    /// What the kernel's refusal means, errno(3).
    init(errno: Int32) {
        switch errno {
        case EHOSTUNREACH: self = .unreachableRoute
        case EACCES, EPERM: self = .prohibited
        case EINVAL: self = .blackhole
        case ENETDOWN: self = .noCarrier
        // ENETUNREACH; EAGAIN of a `throw` route after which no rule comes; ESRCH of a table that is empty; ENODEV where
        // the interface asked for is gone.
        default: self = .noRoute
        }
    }

    /// Why a route of this type carries nothing; nil where it does.
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
