"""Drives the sandbox at PAYMENTS_BASE_URL over HTTP, with Python's standard library only. Prints the results as JSON."""

import json
import os
import threading
import urllib.error
import urllib.request

base_url = os.environ["PAYMENTS_BASE_URL"]
api_key = os.environ["PAYMENTS_API_KEY"]
control_url = base_url + "/__sandbox/api"


def send(method, url, body=None, headers={}):
    """Sends a request. Returns the status and the JSON of the response."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **headers}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def service(method, path, body=None):
    return send(method, base_url + path, body, {"x-api-key": api_key})


def act(action, **arguments):
    return send("POST", f"{control_url}/actions/{action}", arguments)


def create_payment(token):
    order = {"orderId": "order-1", "currencyCode": "EUR", "amount": 700}
    return service("POST", "/payments", {"paymentMethodToken": token, **order})[1]["id"]


def read_statuses(stream, count, into):
    """Reads server-sent events until it has added `count` statuses to `into`."""
    event = None
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data" and event == "status":
            into.append(json.loads(value)["status"])
            if len(into) == count:
                return


followed = []
stream = urllib.request.urlopen(control_url + "/events", timeout=30)
follower = threading.Thread(target=read_statuses, args=(stream, 2, followed))
follower.start()

settled = create_payment("tok_card")
act("settle", paymentId=settled)

act("addFault", operation="payments.get", status=503, times=1)
faulty = service("GET", f"/payments/{settled}")[0]
repaired, payment = service("GET", f"/payments/{settled}")

timeline = send("GET", f"{control_url}/payments/{settled}")[1]
follower.join(timeout=30)

print(
    json.dumps(
        {
            "status": payment["status"],
            "responses": [faulty, repaired],
            "history": [change["status"] for change in timeline["history"]],
            "requests": [[request["operation"], request["status"]] for request in timeline["requests"]],
            "userAgent": timeline["requests"][0]["userAgent"].split("/")[0],
            "followed": followed,
            "conflict": act("settle", paymentId=settled)[0],
        }
    )
)
