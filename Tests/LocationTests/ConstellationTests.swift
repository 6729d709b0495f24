import Location
import Testing

@Suite struct ConstellationTests {
    @Test(arguments: [
        (0, Constellation.gps), (1, .sbas), (2, .galileo), (3, .beidou), (4, .imes), (5, .qzss), (6, .glonass),
        (7, .navic), (8, .unknown), (-1, .unknown), (.max, .unknown),
    ]) func `a constellation has u-blox's number`(number: Int, constellation: Constellation) {
        #expect(Constellation(gnssID: number) == constellation)
    }
}
