"""What users of python-gitlab do with licenses; prints one word when all of it held."""

import csv
import sys

import gitlab

url, token, license, later = sys.argv[1:5]
api = gitlab.Gitlab(url, private_token=token)
assert api.get_license() == {}, api.get_license()

added = api.set_license(license)
assert added["plan"] == "ultimate" and added["expired"] is False, added
assert added["licensee"] == {"Name": "Test", "Email": "test@example.com", "Company": "Tests"}, added
current = api.get_license()
assert current["id"] == added["id"] and current["user_limit"] == 5, current
assert current["active_users"] == current["maximum_user_count"], current

future = api.set_license(later)
listed = api.http_list("/licenses", get_all=True)
assert [one["id"] for one in listed] == [future["id"], added["id"]], listed
assert all("active_users" not in one for one in listed), listed
assert api.get_license()["id"] == added["id"]
assert api.http_get(f"/license/{future['id']}")["starts_at"] == future["starts_at"]

for refused, reason in [(license, "already been added"), ("nonsense", "key is invalid")]:
    try:
        api.set_license(refused)
        raise SystemExit("it should have been refused")
    except gitlab.exceptions.GitlabLicenseError as error:
        assert error.response_code == 400 and reason in error.error_message, error

assert api.http_put(f"/license/{added['id']}/refresh_billable_users") == {"success": True}
text = api.http_get("/license/usage_export.csv").text
rows = list(csv.reader(text.splitlines()))
assert [row[0] for row in rows[:6]] == [
    "License Key", "Email", "License Start Date", "License End Date", "Company", "Generated At",
], rows
assert rows[0][1] == license and rows[6] == [] and rows[7] == ["Date", "Billable User Count"], rows
assert rows[8] == [added["starts_at"], str(current["active_users"])], rows

for one in (added, future):
    api.http_delete(f"/license/{one['id']}")
assert api.get_license() == {}
print("held")
