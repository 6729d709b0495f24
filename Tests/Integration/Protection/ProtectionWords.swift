/// The arguments of `waymark` for a command of data protection: `lock` and `unlock` are commands themselves, and all others
/// belong to `waymark protection`.
enum ProtectionWords {
    static func of(_ command: [String]) -> [String] {
        ["lock", "unlock"].contains(command.first) ? command : ["protection"] + command
    }
}
