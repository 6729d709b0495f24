import CLinux
import CommandLineKit
import Glibc
import Platform

/// Reads passphrases and recovery keys: from the terminal without showing them, from standard input, or with
/// systemd-ask-password(1). Never from an argument, which other users can read.
struct SecretInput {
    static let stdin = Option("stdin", "read each secret as a line of standard input, for another program")
    static let ask = Option(
        "ask-password", "ask with systemd-ask-password, for a machine that starts without a terminal")
    static let pam = Option("pam", "take the user and the password that pam_exec(8) passes with expose_authtok")
    static let recovery = Option("recovery", "the secret to be given is a recovery key of 24 words")

    private let session: Session
    /// Whether the command has the option `ask`.
    private let asks: Bool
    private var lines = TypedLines(descriptor: STDIN_FILENO, limit: 4_096)
    private var pending: [[UInt8]] = []

    /// The secrets of a command, which has the option `stdin`.
    init(_ session: Session, asks: Bool = true) { (self.session, self.asks) = (session, asks) }

    /// The secret that unlocks now.
    mutating func present() throws(CommandFailure) -> String {
        try read(session.invocation.has("recovery") ? "Recovery key: " : "Passphrase: ")
    }

    /// A new passphrase, which has to be typed twice on a terminal.
    mutating func new() throws(CommandFailure) -> String {
        let passphrase = try read("New passphrase: ")
        guard !passphrase.isEmpty else {
            throw .failed("InvalidSecret", "The new passphrase is empty. Nothing was changed.")
        }
        if session.invocation.has("stdin") { return passphrase }
        guard try read("The same passphrase again: ") == passphrase else {
            throw .failed("SecretsDiffer", "The two passphrases differ. Nothing was changed.")
        }
        return passphrase
    }

    /// The password that pam_exec(8) writes to standard input: all of it, without a line end, and with a zero byte after it in
    /// some releases.
    static func passed() throws(CommandFailure) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while bytes.count <= 4_096 {
            let count: Int
            do throws(SystemError) {
                count = try retrying("read", subject: "standard input") {
                    Glibc.read(STDIN_FILENO, &buffer, buffer.count)
                }
            } catch { throw CommandFailure(error) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.count <= 4_096 else {
            throw .failed("InvalidSecret", "The password is longer than any secret.")
        }
        let password = bytes.prefix { $0 != 0 }
        guard !password.isEmpty else {
            throw .failed("NoSecret", "pam_exec has passed no password. Add expose_authtok to its line.")
        }
        return String(decoding: password, as: UTF8.self)
    }

    /// Another secret, for which the person is asked with these words.
    mutating func secret(_ prompt: String) throws(CommandFailure) -> String { try read(prompt) }

    private mutating func read(_ prompt: String) throws(CommandFailure) -> String {
        if session.invocation.has("stdin") { return try line() }
        if session.invocation.has("ask-password") { return try Self.asked(prompt) }
        return try Self.typed(prompt, otherwise: asks ? "--stdin or --ask-password" : "--stdin")
    }

    /// The next line of standard input.
    private mutating func line() throws(CommandFailure) -> String {
        while pending.isEmpty {
            let reading: TypedLines.Reading
            do throws(SystemError) { reading = try lines.read() } catch { throw CommandFailure(error) }
            switch reading {
            case .lines(let new): pending += new
            case .tooLong: throw .failed("InvalidSecret", "A line of standard input is longer than any secret.")
            case .end:
                throw .failed("NoSecret", "Standard input ended before a line with the secret. Nothing was changed.")
            }
        }
        return String(decoding: pending.removeFirst(), as: UTF8.self)
    }

    private static func asked(_ prompt: String) throws(CommandFailure) -> String {
        let result: CompletedProcess
        do throws(SystemError) {
            result = try CompletedProcess.run(
                "/usr/bin/systemd-ask-password", ["--timeout=300", "Waymark: \(prompt)"], seconds: 330)
        } catch { throw CommandFailure(error) }
        guard result.status == .exited(0) else {
            throw .failed("NoSecret", "systemd-ask-password returned no secret. Nothing was changed.")
        }
        return String(result.output.prefix { $0 != "\n" })
    }

    /// A line of the terminal, which is not shown. An interruption restores the terminal.
    private static func typed(_ prompt: String, otherwise options: String) throws(CommandFailure) -> String {
        let opened = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard opened >= 0 else {
            throw .failed(
                "NoTerminal", "There is no terminal on which the secret could be typed. Add \(options).")
        }
        let terminal = OwnedDescriptor(adopting: opened)
        var before = termios()
        guard tcgetattr(terminal.number, &before) == 0 else {
            throw CommandFailure(SystemError("examine the terminal"))
        }
        var silent = before
        // Each byte arrives by itself, an interruption too, so that the terminal is restored in any case.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG | ICANON)
        guard tcsetattr(terminal.number, TCSAFLUSH, &silent) == 0 else {
            throw CommandFailure(SystemError("silence the terminal"))
        }
        defer { tcsetattr(terminal.number, TCSAFLUSH, &before) }
        var bytes: [UInt8] = []
        _ = write(terminal.number, prompt, prompt.utf8.count)
        defer { _ = write(terminal.number, "\n", 1) }
        while bytes.count < 4_096 {
            var byte: UInt8 = 0
            let count: Int
            do throws(SystemError) {
                count = try retrying("read", subject: "/dev/tty") { Glibc.read(terminal.number, &byte, 1) }
            } catch { throw CommandFailure(error) }
            if count == 0 { break }
            switch byte {
            case UInt8(ascii: "\n"): return String(decoding: bytes, as: UTF8.self)
            // Ctrl-C and Ctrl-\.
            case 3, 28: throw .ended(.interrupted)
            // Ctrl-D ends an empty line.
            case 4: if bytes.isEmpty { return "" }
            // Ctrl-U begins again.
            case 21: bytes.removeAll()
            // The last character, with all its bytes.
            case 8, 127:
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
