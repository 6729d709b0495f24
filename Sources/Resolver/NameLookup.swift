import CLinux
import Glibc
import NetworkPaths

/// Looks up a name as every program on this machine does, with all sources of nsswitch.conf(5): getaddrinfo(3).
public enum NameLookup {
    /// The result for a name. Blocks until the name servers have replied, or the resolver gives up.
    public static func answer(for name: HostName) -> NameAnswer {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        if name.isInternational {
            // The name is UTF-8, and getaddrinfo reads it in the locale's encoding.
            guard setlocale(LC_CTYPE, "C.UTF-8") != nil else { return .failed("the locale C.UTF-8 is not installed") }
            hints.ai_flags = waymark_ai_idn
        }
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name.description, nil, &hints, &list)
        let systemCode = errno
        guard code == 0 else { return answer(forFailure: code, systemCode: systemCode) }
        defer { freeaddrinfo(list) }
        let addresses = addresses(of: list)
        return addresses.isEmpty ? .notFound : .addresses(addresses)
    }

    /// The result for an error code, gai_strerror(3).
    static func answer(forFailure code: Int32, systemCode: Int32) -> NameAnswer {
        switch code {
        case EAI_NONAME, waymark_eai_no_data, waymark_eai_address_family: return .notFound
        case EAI_AGAIN: return .notAnswering
        case EAI_SYSTEM:
            var text = [CChar](repeating: 0, count: 128)
            waymark_error_text(systemCode, &text, text.count)
            return .failed(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        default: return .failed(gai_strerror(code).map { String(cString: $0) } ?? "error \(code)")
        }
    }

    private static func addresses(of list: UnsafeMutablePointer<addrinfo>?) -> [HostAddress] {
        var addresses: [HostAddress] = []
        var entry = list
        while let current = entry, addresses.count < NameAnswer.mostAddresses {
            if let address = address(of: current.pointee), !addresses.contains(address) { addresses.append(address) }
            entry = current.pointee.ai_next
        }
        return addresses
    }

    private static func address(of entry: addrinfo) -> HostAddress? {
        guard let socketAddress = entry.ai_addr else { return nil }
        let raw = UnsafeRawBufferPointer(start: socketAddress, count: Int(entry.ai_addrlen))
        switch entry.ai_family {
        case AF_INET where raw.count >= MemoryLayout<sockaddr_in>.size:
            var address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: &address) { IPAddress(.ipv4, bytes: $0) }.map { HostAddress($0) }
        case AF_INET6 where raw.count >= MemoryLayout<sockaddr_in6>.size:
            var whole = raw.loadUnaligned(as: sockaddr_in6.self)
            let zone = Int32(bitPattern: whole.sin6_scope_id)
            return withUnsafeBytes(of: &whole.sin6_addr) { IPAddress(.ipv6, bytes: $0) }.map {
                HostAddress($0, zone: $0.isLinkLocal && zone > 0 ? String(zone) : nil)
            }
        default: return nil
        }
    }
}
