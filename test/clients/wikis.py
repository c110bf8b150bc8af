"""How users of python-gitlab write wikis of projects and groups; prints one word when all of it held."""

import sys

import gitlab

url, token, suffix = sys.argv[1:4]
api = gitlab.Gitlab(url, private_token=token)
project = api.projects.create({"name": f"Wiki {suffix}"})
group = api.groups.create({"name": f"Wiki {suffix}", "path": f"wiki-{suffix}"})

for place, prefix in ((project, f"/projects/{project.id}"), (group, f"/groups/{group.id}")):
    page = place.wikis.create({"title": "docs/First page", "content": "Read me"})
    assert page.slug == "docs/First-page" and page.title == "First page", page
    meta = page.wiki_page_meta_id
    page.content = "Read *me*"
    page.save()
    assert place.wikis.get(page.slug).content == "Read *me*"
    assert "<em>me</em>" in place.wikis.get(page.slug, render_html=True).content
    moved = place.wikis.update(page.slug, {"title": "Second page", "content": "Read me"})
    assert moved["slug"] == "docs/Second-page" and moved["wiki_page_meta_id"] == meta, moved
    place.wikis.create({"title": "home", "content": "= Home", "format": "asciidoc"})
    pages = place.wikis.list(get_all=True, with_content=True)
    assert [(one.slug, one.format, one.content) for one in pages] == [
        ("docs/Second-page", "markdown", "Read me"),
        ("home", "asciidoc", "= Home"),
    ], pages

    notes = f"{prefix}/wiki_pages/{meta}/notes"
    note = api.http_post(notes, post_data={"body": "Well said"})
    assert note["noteable_type"] == "WikiPage::Meta" and note["noteable_id"] == meta, note
    assert [one["body"] for one in api.http_list(notes, get_all=True)] == ["Well said"]
    try:
        api.http_get(f"{prefix}/wiki_pages/home/notes")
        raise SystemExit("a slug found notes")
    except gitlab.exceptions.GitlabHttpError as error:
        assert error.response_code == 404 and error.error_message == "404 WikiPage::Meta Not Found", error

    place.wikis.delete("home")
    try:
        place.wikis.get("home")
        raise SystemExit("a deleted page is still there")
    except gitlab.exceptions.GitlabGetError as error:
        assert error.response_code == 404 and error.error_message == "404 Wiki Page Not Found", error
project.delete()
group.delete()
print("held")
