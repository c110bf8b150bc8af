package stale

import (
	"slices"
	"testing"
	"time"

	"forgelettest"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

const day = 24 * time.Hour

func TestIssuesThatNobodyTouchesAreClosed(t *testing.T) {
	server := forgelettest.Start(t, forgelettest.Options{})
	client, err := gitlab.NewClient(server.Token, gitlab.WithBaseURL(server.URL))
	must(t, err)
	project, _, err := client.Projects.CreateProject(&gitlab.CreateProjectOptions{Name: gitlab.Ptr("shop")})
	must(t, err)
	old, _, err := client.Issues.CreateIssue(project.ID, &gitlab.CreateIssueOptions{Title: gitlab.Ptr("The door squeaks")})
	must(t, err)
	now, err := server.Advance(31 * day)
	must(t, err)
	_, _, err = client.Issues.CreateIssue(project.ID, &gitlab.CreateIssueOptions{Title: gitlab.Ptr("The bell is too loud")})
	must(t, err)

	closed, err := Close(client, project.ID, now, 30*day)
	must(t, err)
	if want := []int64{int64(old.IID)}; !slices.Equal(closed, want) {
		t.Errorf("closed %v, not %v", closed, want)
	}
	found, _, err := client.Issues.GetIssue(project.ID, old.IID)
	must(t, err)
	if found.State != "closed" {
		t.Errorf("it is %s", found.State)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
