// Command client-go does with releases what programs in Go do, such as the provider of Terraform. It prints one word when all of it held.
package main

import (
	"fmt"
	"net/http"
	"os"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

func main() {
	if err := use(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("held")
}

func use(url, token, project string) error {
	client, err := gitlab.NewClient(token, gitlab.WithBaseURL(url))
	if err != nil {
		return err
	}
	wanted := &gitlab.CreateReleaseOptions{
		TagName:     gitlab.Ptr("v1/a"),
		Ref:         gitlab.Ptr("main"),
		Description: gitlab.Ptr("What is new"),
		Milestones:  &[]string{"1.0"},
		Assets: &gitlab.ReleaseAssetsOptions{Links: []*gitlab.ReleaseAssetLinkOptions{{
			Name:            gitlab.Ptr("tool"),
			URL:             gitlab.Ptr("https://example.org/tool"),
			DirectAssetPath: gitlab.Ptr("/tool"),
			LinkType:        gitlab.Ptr(gitlab.PackageLinkType),
		}}},
	}
	made, _, err := client.Releases.CreateRelease(project, wanted)
	if err != nil {
		return err
	}
	if made.Commit.ID == "" || len(made.Assets.Links) != 1 || len(made.Milestones) != 1 || len(made.Evidences) != 1 {
		return fmt.Errorf("made %+v", made)
	}
	if _, response, err := client.Releases.CreateRelease(project, wanted); err == nil || response.StatusCode != http.StatusConflict {
		return fmt.Errorf("made twice: %v", err)
	}
	latest, _, err := client.Releases.GetLatestRelease(project)
	if err != nil {
		return err
	}
	if latest.TagName != made.TagName {
		return fmt.Errorf("the latest is %s", latest.TagName)
	}

	link, _, err := client.ReleaseLinks.CreateReleaseLink(project, "v1/a", &gitlab.CreateReleaseLinkOptions{
		Name: gitlab.Ptr("notes"),
		URL:  gitlab.Ptr("https://example.org/notes"),
	})
	if err != nil {
		return err
	}
	changed, _, err := client.ReleaseLinks.UpdateReleaseLink(project, "v1/a", link.ID, &gitlab.UpdateReleaseLinkOptions{
		LinkType: gitlab.Ptr(gitlab.RunbookLinkType),
	})
	if err != nil {
		return err
	}
	if changed.LinkType != gitlab.RunbookLinkType {
		return fmt.Errorf("changed to %+v", changed)
	}
	if _, _, err := client.ReleaseLinks.DeleteReleaseLink(project, "v1/a", link.ID); err != nil {
		return err
	}

	updated, _, err := client.Releases.UpdateRelease(project, "v1/a", &gitlab.UpdateReleaseOptions{
		Name:       gitlab.Ptr("Two"),
		Milestones: &[]string{},
	})
	if err != nil {
		return err
	}
	if updated.Name != "Two" || len(updated.Milestones) != 0 || updated.Description != "What is new" {
		return fmt.Errorf("updated to %+v", updated)
	}
	if _, _, err := client.Releases.DeleteRelease(project, "v1/a"); err != nil {
		return err
	}
	left, _, err := client.Releases.ListReleases(project, nil)
	if err == nil && len(left) != 0 {
		err = fmt.Errorf("left %d", len(left))
	}
	return err
}
