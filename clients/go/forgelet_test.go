package forgelettest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

func create(t *testing.T, server *Server, name string) string {
	t.Helper()
	request, err := http.NewRequest("POST", server.URL+"/api/v4/projects?name="+url.QueryEscape(name), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("PRIVATE-TOKEN", server.Token)
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.Header.Get("Location") + answer.Status
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestServer(t *testing.T) {
	seed := 7
	server := Start(t, Options{Seed: &seed, Plan: "ultimate"})

	t.Run("a reset makes it as it was", func(t *testing.T) {
		first := create(t, server, "shop")
		if second := create(t, server, "shop"); !strings.Contains(second, "400") {
			t.Errorf("the same name again: %s", second)
		}
		must(t, server.Reset())
		if again := create(t, server, "shop"); again != first {
			t.Errorf("%s after the reset, %s before", again, first)
		}
	})

	t.Run("the clock is that of the test", func(t *testing.T) {
		must(t, server.Reset())
		beginning := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		if now, err := server.Now(); err != nil || !now.Equal(beginning) {
			t.Errorf("%s %v", now, err)
		}
		if now, err := server.Advance(24 * time.Hour); err != nil || !now.Equal(beginning.AddDate(0, 0, 1)) {
			t.Errorf("%s %v", now, err)
		}
		must(t, server.SetClock(beginning.AddDate(10, 0, 0)))
		if now, err := server.Now(); err != nil || now.Year() != 2040 {
			t.Errorf("%s %v", now, err)
		}
		must(t, server.Seed(8))
	})
}

func TestAJobEndsAsTheTestSays(t *testing.T) {
	server := Start(t, Options{})
	api := func(method, path string, parameters url.Values, found any) {
		t.Helper()
		request, err := http.NewRequest(method, server.URL+"/api/v4/projects"+path+"?"+parameters.Encode(), nil)
		must(t, err)
		request.Header.Set("PRIVATE-TOKEN", server.Token)
		answer, err := client.Do(request)
		must(t, err)
		defer answer.Body.Close()
		if answer.StatusCode >= 300 {
			t.Fatalf("%s %s: %s", method, path, answer.Status)
		}
		must(t, json.NewDecoder(answer.Body).Decode(found))
	}
	var ignored map[string]any
	api("POST", "", url.Values{"name": {"shop"}}, &ignored)
	file := url.Values{"branch": {"main"}, "commit_message": {"Build"}, "content": {"build: { script: make }"}}
	api("POST", "/1/repository/files/.gitlab-ci.yml", file, &ignored)
	var pipeline struct{ ID int64 }
	api("POST", "/1/pipeline", url.Values{"ref": {"main"}}, &pipeline)
	var jobs []struct {
		ID     int64
		Status string
	}
	list := fmt.Sprintf("/1/pipelines/%d/jobs", pipeline.ID)
	api("GET", list, nil, &jobs)
	run := JobRun{Status: "failed", Log: "not made\n", Artifacts: map[string]string{"shop.txt": "shop"}}
	must(t, server.RunJob(jobs[0].ID, run))
	api("GET", list, nil, &jobs)
	if len(jobs) != 1 || jobs[0].Status != "failed" {
		t.Errorf("%v", jobs)
	}
}

func TestNothingIsLeft(t *testing.T) {
	server, err := Launch(Options{})
	must(t, err)
	must(t, server.Stop())
	if err := syscall.Kill(server.PID, 0); err == nil {
		t.Errorf("process %d is left", server.PID)
	}
}

func TestItSaysWhyItDoesNotStart(t *testing.T) {
	if _, err := Launch(Options{Plan: "gold"}); err == nil || !strings.Contains(err.Error(), `no plan "gold"`) {
		t.Errorf("%v", err)
	}
}
