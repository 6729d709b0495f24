/// Accuracies in metres for `LocationManager.desiredAccuracy`, after Core Location's constants.
public enum LocationAccuracy {
    /// Every position, however accurate: `kCLLocationAccuracyBest`.
    public static let best = -1.0
    /// Every position: `kCLLocationAccuracyBestForNavigation`.
    public static let bestForNavigation = -2.0
    /// `kCLLocationAccuracyNearestTenMeters`.
    public static let nearestTenMeters = 10.0
    /// `kCLLocationAccuracyHundredMeters`.
    public static let hundredMeters = 100.0
    /// `kCLLocationAccuracyKilometer`.
    public static let kilometer = 1_000.0
    /// `kCLLocationAccuracyThreeKilometers`.
    public static let threeKilometers = 3_000.0
}

/// Distances in metres for `LocationManager.distanceFilter`, after Core Location's constant.
public enum LocationDistance {
    /// Every position, however near to the last one: `kCLDistanceFilterNone`.
    public static let none = -1.0
}
