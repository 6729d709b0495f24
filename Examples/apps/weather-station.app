# /etc/waymark/apps/weather-station.app
[App]
Name=Weather Station
Unit=weather-station.service
AlwaysInUse=yes
DefaultAccuracyReduced=yes
WhenInUseUsageDescription=Names the district in the weather reports it publishes.
AlwaysAndWhenInUseUsageDescription=Names the district in the weather reports it publishes.
