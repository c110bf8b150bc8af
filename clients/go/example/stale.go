// Package stale closes the issues of a project that nobody has touched for a while. It is the example that the test
// beside it tests.
package stale

import (
	"fmt"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

// Close closes issues that nobody has touched for a time, and says why. It returns their numbers.
func Close(client *gitlab.Client, project any, now time.Time, after time.Duration) ([]int64, error) {
	before := now.Add(-after)
	issues, _, err := client.Issues.ListProjectIssues(project, &gitlab.ListProjectIssuesOptions{
		State:         gitlab.Ptr("opened"),
		UpdatedBefore: &before,
	})
	if err != nil {
		return nil, err
	}
	var closed []int64
	for _, issue := range issues {
		why := fmt.Sprintf("Closed: nobody has touched this for %d days.", int(after.Hours()/24))
		note := &gitlab.CreateIssueNoteOptions{Body: &why}
		if _, _, err := client.Notes.CreateIssueNote(project, issue.IID, note); err != nil {
			return closed, err
		}
		change := &gitlab.UpdateIssueOptions{StateEvent: gitlab.Ptr("close")}
		if _, _, err := client.Issues.UpdateIssue(project, issue.IID, change); err != nil {
			return closed, err
		}
		closed = append(closed, int64(issue.IID))
	}
	return closed, nil
}
