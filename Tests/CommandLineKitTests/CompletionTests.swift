import CommandLineKit
import Glibc
import Testing

@Suite struct CompletionTests {
    @Test(arguments: [
        ("compass ", "find play settings tracks"),
        ("compass f", "find"),
        ("compass --", "--socket --verbose --help --version"),
        ("compass find --a", "--accuracy"),
        ("compass find home --kind ", "round square"),
        ("compass find --kind = sq", "square"),
        ("compass --socket /s settings ", "check show"),
        ("compass --socket = /s settings ch", "check"),
        ("compass settings check --", "--socket --verbose --help"),
        ("compass find --accuracy ", ""),
        ("compass play /etc/os-releas", "/etc/os-release"),
        ("compass settings show --in /et", "/etc"),
        ("compass play x -- bas", "bash"), ("compass tracks drop ", "alp coast"), ("compass tracks drop c", "coast"),
        ("compass tracks drop --why ", ""), ("compass tracks drop coast ", "soon now"),
        ("compass tracks drop --why x coast n", "now"), ("compass tracks drop coast now ", ""),
        ("compass find home ", ""),
    ]) func `bash completes`(_ line: String, to expected: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }
        let script = """
            \(example.completionScript(for: .bash))
            compass() { case "$*" in
                'completion --names tracks') printf 'alp\\ncoast\\n' ;;
                'completion --names reasons') echo '$(touch /tmp/expanded)' ;;
            esac; }
            COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
            _compass
            echo "${COMPREPLY[*]}"
            """
        let answer = try run("bash", script)
        if line.hasSuffix("bas") {
            #expect(answer.split(separator: " ").contains("bash"))
        } else {
            #expect(answer == expected)
        }
    }

    @Test(arguments: [
        ("compass ", "find play settings tracks"), ("compass find home --kind ", "round square"),
        ("compass --socket /s settings ch", "check"), ("compass find home --acc", "--accuracy"),
        ("compass find --accuracy ", ""), ("compass tracks drop ", "alp coast"),
        ("compass tracks drop --why x coast ", "now soon"), ("compass tracks drop coast now ", ""),
    ]) func `fish completes`(_ line: String, to expected: String) throws {
        guard try run("sh", "command -v fish || true") != "" else { return }
        let script = """
            \(example.completionScript(for: .fish))
            function compass
                test "$argv" = 'completion --names tracks'; and printf 'alp\\ncoast\\n'
            end
            complete -C '\(line)'

            """
        let words = try run("fish --no-config", script).split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(words.joined(separator: " ") == expected)
    }

    @Test(arguments: [
        ("compass fi", "find"), ("compass settings ", "check show"), ("compass find home --kind ", "round square"),
        ("compass --socket /s settings ch", "check"), ("compass tracks drop ", "alp coast"),
        ("compass tracks drop coast ", "soon now"),
    ]) func `zsh completes`(_ line: String, to expected: String) throws {
        guard try run("sh", "command -v zsh || true") != "" else { return }
        // Keys can only be typed into a shell on a terminal: one zsh drives another, which prints its completions.
        let script = """
            zmodload zsh/zpty
            folder=$(mktemp -d)
            cat >$folder/compass <<'END_OF_COMPLETION'
            \(example.completionScript(for: .zsh))
            END_OF_COMPLETION
            cat >$folder/shell <<'END_OF_SHELL'
            PS1= PS2=
            autoload -Uz compinit; compinit -u -D
            source ${folder}/compass
            compass() { [[ $* == 'completion --names tracks' ]] && print -l alp coast }
            zstyle ':completion:*' insert-tab false
            compadd() {
                if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)* ]]; then builtin compadd "$@"; return; fi
                local -a offered
                builtin compadd -A offered "$@"
                print -rl -- $offered >>${folder}/offered
                builtin compadd "$@"
            }
            finished() { print -r -- FINISHED }
            comppostfuncs=(finished)
            bindkey '^I' complete-word
            print READY
            END_OF_SHELL
            zpty shell zsh -f -i
            zpty -w shell "folder=$folder; source $folder/shell"
            zpty -r -m shell answer $'*READY\r*'
            zpty -w -n shell '\(line)'$'\t'
            zpty -r -m shell answer $'*FINISHED*'
            cat $folder/offered
            zpty -d shell
            rm -r $folder

            """
        let words = try run("timeout 60 zsh -f", script).split(separator: "\n")
        #expect(words.joined(separator: " ") == expected)
    }

    @Test(arguments: Shell.allCases) func `an installed shell accepts its script`(_ shell: Shell) throws {
        guard try run("sh", "command -v \(shell) || true") != "" else { return }
        #expect(try run("\(shell) -n", example.completionScript(for: shell) + "\n") == "")
    }

    /// Runs a script with an interpreter, and returns its output, error messages included.
    private func run(_ interpreter: String, _ script: String) throws -> String {
        var path = Array("/tmp/waymark-completion-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        try #require(file >= 0)
        let name = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { unlink(name) }
        let bytes = Array(script.utf8)
        try #require(write(file, bytes, bytes.count) == bytes.count)
        close(file)
        let pipe = try #require(popen("\(interpreter) \(name) 2>&1", "r"))
        var answer: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { answer.append(UInt8(byte)) }
        #expect(pclose(pipe) == 0)
        while answer.last == UInt8(ascii: "\n") { answer.removeLast() }
        return String(decoding: answer, as: UTF8.self)
    }
}
