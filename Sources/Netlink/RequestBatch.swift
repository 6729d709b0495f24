import Reachability

/// Encoded queries that are sent in one batch. They are stored because the next evaluation nearly always sends the
/// same.
struct RequestBatch {
    /// The queries.
    let queries: [KernelQuery]
    /// The concatenated requests.
    var bytes: [UInt8] = []
    /// The number of requests; a route needs two.
    private(set) var requestCount = 0
    /// The reply to each request, valid until the exchange is used again.
    var answers: [UnsafeRawBufferPointer?] = []
    /// For each query the index of its first request.
    private var places: [Int] = []

    /// A batch of these queries, without requests yet.
    init(_ queries: [KernelQuery]) { self.queries = queries }

    /// Appends a request: the first one of the next query, or another one of the same query.
    mutating func add(_ request: UnsafeRawBufferPointer, isFirst: Bool) {
        if isFirst { places.append(requestCount) }
        bytes.append(contentsOf: request)
        // Each request is aligned for a header.
        while bytes.count % 4 != 0 { bytes.append(0) }
        requestCount += 1
    }

    /// The reply to a query's first or second request; nil if there is none.
    func answer(to place: Int, second isSecond: Bool = false) -> UnsafeRawBufferPointer? {
        let request = places[place] + (isSecond ? 1 : 0)
        return request < answers.count ? answers[request] : nil
    }
}
