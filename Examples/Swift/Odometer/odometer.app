# ~/.config/waymark/apps/odometer.app
[App]
Name=Odometer
Exec=/usr/local/bin/odometer
UserUnit=odometer.service
WhenInUseUsageDescription=Measures how far you walk.

[TemporaryUsage]
Distance=Without exact positions there is no distance.
