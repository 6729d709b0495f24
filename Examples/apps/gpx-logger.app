# ~/.config/waymark/apps/gpx-logger.app
[App]
Name=GPX Logger
Exec=/usr/local/bin/gpx-logger
UserUnit=gpx-logger.scope
WhenInUseUsageDescription=Writes the track of this walk to a file.
