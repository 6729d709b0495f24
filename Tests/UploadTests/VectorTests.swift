import Location
import Testing
import UploadVectors

@testable import Upload

/// What each format writes and which responses acknowledge it, compared with its vectors in Tests/Fixtures/upload.
@Suite struct VectorTests {
    @Test func `every format has vectors, and there are no others`() throws {
        let names = UploadFormat.all.map(\.name)
        #expect(try UploadVectors.formats() == Set(names))
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: UploadFormat.all)
    func `a request equals the vector's byte by byte`(_ format: UploadFormat) throws {
        let vectors = try UploadVectors(format.name).vectors
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let configuration = try vector.configuration()
            let isSealed = !configuration.credential.encryption.isEmpty
            var writer = RequestWriter(configuration, seal: isSealed ? UploadVector.seal : nil)
            writer.battery = vector.battery
            let transfer =
                vector.message.map { Transfer(id: 1, message: $0, recording: Samples.recording) }
                ?? Transfer(
                    id: 1, lane: .history, positions: vector.positions, current: vector.current,
                    isRetained: vector.isRetained)
            var body = Array("what was there before".utf8)
            var lines = UploadVector.lines(of: writer.write(transfer, at: UploadVectors.now, into: &body), body)
            if configuration.usesBroker, let will = format.publication?.lastWill(UploadVectors.now) {
                lines.append("will \(String(decoding: will, as: UTF8.self))")
            }
            #expect(lines == vector.request, "\(vector.name):\n\(lines.joined(separator: "\n"))")
            #expect(vector.positions.count <= 1 || format.acceptsBatches, "\(vector.name)")
        }
    }

    @Test(arguments: UploadFormat.all)
    func `a response means what the vectors say`(_ format: UploadFormat) throws {
        let answers = try UploadVectors(format.name).answers
        #expect(answers.contains { $0.meaning == "acknowledged" })
        for answer in answers {
            let verdict = AnswerClassifier.verdict(
                on: HTTPAnswer(status: answer.status, body: answer.body), format: format, url: nil,
                at: UploadVectors.now)
            #expect(
                Self.word(verdict) == answer.meaning, "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            )
        }
    }

    private static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .acknowledged: "acknowledged"
        case .rejected: "rejected"
        case .blocked(.unknownDevice): "unknownDevice"
        case .later(.wrongAnswer, _): "wrongAnswer"
        case .later(.refused, _): "refused"
        case .tooLarge, .blocked, .later: "what all formats have in common"
        }
    }
}
