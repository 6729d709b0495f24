# /usr/share/waymark/apps/org.example.Compass.app
[App]
Name=Compass
UserUnit=*-org.example.Compass[-@]*
WhenInUseUsageDescription=Turns the dial to true north, which depends on where you are.
