import varlink

with varlink.Client("unix:/run/waymark/waymark.sock") as client:
    with client.open("io.waymark.Location") as location:
        print(location.GetPosition()["position"])
        for reply in location.Monitor(_more=True, distanceFilter=10):
            print(reply["update"].get("position"))
