// Package forgelettest starts Forgelet, a server with a GitLab-compatible API, for tests. It needs nothing but the
// standard library.
package forgelettest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Options say how a server starts. All of them are optional.
type Options struct {
	// Command starts Forgelet; by default the words of TEST_FORGELET_COMMAND, or npx forgelet.
	Command []string
	// Plan is "premium" or "ultimate", for a license that opens the licensed areas.
	Plan string
	// Seed makes ids, times and secrets the same in each run.
	Seed *int
	// Patience is how long it may take to start; a minute by default.
	Patience time.Duration
}

// Server is a Forgelet with a database of its own, which is gone at the end.
type Server struct {
	// URL has no slash at the end.
	URL string `json:"url"`
	// Token is one of the administrator root.
	Token string `json:"token"`
	PID   int    `json:"pid"`

	input io.Closer
	ended chan error
	kill  func() error
}

// Start starts a server that stops when the test and its subtests have ended.
func Start(t testing.TB, options Options) *Server {
	t.Helper()
	server, err := Launch(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// Launch starts a server and waits until it is ready: for TestMain, which has to stop it.
func Launch(options Options) (*Server, error) {
	folder, err := os.MkdirTemp("", "forgelettest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	ready := filepath.Join(folder, "ready.json")
	words := append(command(options), "--ephemeral", "--exit-with-stdin", "--ready-file", ready)
	if options.Plan != "" {
		words = append(words, "--plan", options.Plan)
	}
	if options.Seed != nil {
		words = append(words, "--seed", strconv.Itoa(*options.Seed))
	}
	started := exec.Command(words[0], words[1:]...)
	// A port that the environment names comes later, and so it counts.
	started.Env = append([]string{"FORGELET_PORT=0"}, os.Environ()...)
	var output bytes.Buffer
	started.Stdout, started.Stderr = &output, &output
	input, err := started.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := started.Start(); err != nil {
		return nil, fmt.Errorf("Forgelet does not start: %w", err)
	}
	server := &Server{input: input, ended: make(chan error, 1), kill: started.Process.Kill}
	go func() { server.ended <- started.Wait() }()
	if err := server.wait(ready, options.Patience); err != nil {
		server.Stop()
		return nil, fmt.Errorf("%w\n%s", err, output.String())
	}
	return server, nil
}

func command(options Options) []string {
	if len(options.Command) > 0 {
		return append([]string{}, options.Command...)
	}
	if words := strings.Fields(os.Getenv("TEST_FORGELET_COMMAND")); len(words) > 0 {
		return words
	}
	return []string{"npx", "forgelet"}
}

func (s *Server) wait(ready string, patience time.Duration) error {
	if patience == 0 {
		patience = time.Minute
	}
	late := time.After(patience)
	for {
		if line, err := os.ReadFile(ready); err == nil {
			return json.Unmarshal(line, s)
		}
		select {
		case err := <-s.ended:
			s.ended <- nil
			return fmt.Errorf("Forgelet ended: %v", err)
		case <-late:
			return fmt.Errorf("Forgelet is not ready after %s", patience)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop stops the server, which removes its data.
func (s *Server) Stop() error {
	// It ends with its standard input, whatever stands between it and us.
	s.input.Close()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(30 * time.Second):
		s.kill()
		return errors.New("Forgelet did not stop: killed")
	}
}

// Reset returns everything to the state after the start, in milliseconds.
func (s *Server) Reset() error { return s.post("reset", nil, nil) }

// Seed makes ids and secrets follow from a number from now on.
func (s *Server) Seed(number int) error { return s.post("seed", map[string]any{"seed": number}, nil) }

// JobRun is what becomes of a job of a pipeline.
type JobRun struct {
	// Status is "running", "success", "failed" or "canceled".
	Status string `json:"status"`
	// Log is added to the log of the job.
	Log string `json:"log,omitempty"`
	// Coverage is in percent.
	Coverage string `json:"coverage,omitempty"`
	// FailureReason is "script_failure" by default.
	FailureReason string `json:"failure_reason,omitempty"`
	// Artifacts are the files of the archive, by their paths.
	Artifacts map[string]string `json:"artifacts,omitempty"`
	// Reports are such as "junit", by their kinds.
	Reports map[string]string `json:"reports,omitempty"`
}

// RunJob starts or ends a job, as a runner would.
func (s *Server) RunJob(id int64, run JobRun) error {
	return s.post(fmt.Sprintf("jobs/%d", id), run, nil)
}

type clock struct {
	Now time.Time `json:"now"`
}

// Now is the moment that the server takes for the present.
func (s *Server) Now() (time.Time, error) {
	var found clock
	err := s.ask(http.MethodGet, "clock", nil, &found)
	return found.Now, err
}

// SetClock sets the server's clock.
func (s *Server) SetClock(now time.Time) error {
	return s.post("clock", map[string]any{"now": now.Format(time.RFC3339Nano)}, nil)
}

// Advance moves the server's clock on, by whole seconds, and tells its time.
func (s *Server) Advance(by time.Duration) (time.Time, error) {
	var found clock
	err := s.post("clock", map[string]any{"advance": int(by.Seconds())}, &found)
	return found.Now, err
}

func (s *Server) post(what string, sent, found any) error {
	return s.ask(http.MethodPost, what, sent, found)
}

// The environment may name a proxy, which is not meant for this server.
var client = &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}

func (s *Server) ask(method, what string, sent, found any) error {
	body, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, s.URL+"/-/testing/"+what, nil)
	if err != nil {
		return err
	}
	request.Header.Set("PRIVATE-TOKEN", s.Token)
	if sent != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Body = io.NopCloser(bytes.NewReader(body))
		request.ContentLength = int64(len(body))
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s /-/testing/%s: %s: %s", method, what, answer.Status, text)
	}
	if found == nil {
		return nil
	}
	return json.Unmarshal(text, found)
}
