// Command go-git clones, commits, pushes and fetches with go-git, which programs in Go have in them instead of git: over HTTP with a
// token, or over SSH with the file of a key. It prints what the server says of the pushes.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"
	cryptossh "golang.org/x/crypto/ssh"
)

func main() {
	if err := use(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("held")
}

func use(url, secret, folder string) error {
	auth, err := authFor(url, secret)
	if err != nil {
		return err
	}
	clone := func(name string) (*git.Repository, error) {
		return git.PlainClone(filepath.Join(folder, name), false, &git.CloneOptions{URL: url, Auth: auth})
	}
	first, err := clone("first")
	if err != nil {
		return fmt.Errorf("the first clone: %w", err)
	}
	second, err := clone("second")
	if err != nil {
		return fmt.Errorf("the second clone: %w", err)
	}

	large := make([]byte, 3<<20)
	rand.New(rand.NewSource(1)).Read(large)
	made, err := commit(first, "large.bin", large)
	if err != nil {
		return err
	}
	if err := push(first, auth, nil); err != nil {
		return fmt.Errorf("the first push: %w", err)
	}

	if err := second.Fetch(&git.FetchOptions{Auth: auth}); err != nil {
		return fmt.Errorf("the fetch: %w", err)
	}
	fetched, err := second.Reference("refs/remotes/origin/made", true)
	if err != nil {
		return err
	}
	if fetched.Hash() != made {
		return fmt.Errorf("fetched %s instead of %s", fetched.Hash(), made)
	}
	tree, err := second.Worktree()
	if err != nil {
		return err
	}
	if err := tree.Checkout(&git.CheckoutOptions{Branch: "refs/heads/made", Hash: made, Create: true}); err != nil {
		return err
	}
	more, err := commit(second, "small.txt", []byte("small\n"))
	if err != nil {
		return err
	}
	if err := push(second, auth, map[string]string{"merge_request.create": "true", "ci.skip": "true"}); err != nil {
		return fmt.Errorf("the push with options: %w", err)
	}

	tree, err = first.Worktree()
	if err != nil {
		return err
	}
	pull := &git.PullOptions{Auth: auth, ReferenceName: "refs/heads/made"}
	if err := tree.Pull(pull); err != nil {
		return fmt.Errorf("the pull: %w", err)
	}
	if err := tree.Pull(pull); !errors.Is(err, git.NoErrAlreadyUpToDate) {
		return fmt.Errorf("the second pull: %w", err)
	}
	head, err := first.Head()
	if err != nil {
		return err
	}
	if head.Hash() != more {
		return fmt.Errorf("pulled %s instead of %s", head.Hash(), more)
	}
	return nil
}

func authFor(url, secret string) (transport.AuthMethod, error) {
	if !strings.HasPrefix(url, "ssh://") {
		return &http.BasicAuth{Username: "oauth2", Password: secret}, nil
	}
	key, err := ssh.NewPublicKeysFromFile("git", secret, "")
	if err != nil {
		return nil, err
	}
	// Nobody has seen this host before.
	key.HostKeyCallback = cryptossh.InsecureIgnoreHostKey()
	return key, nil
}

// commit adds a file on the branch "made".
func commit(repository *git.Repository, name string, content []byte) (plumbing.Hash, error) {
	tree, err := repository.Worktree()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	branch := plumbing.NewBranchReferenceName("made")
	if _, err := repository.Reference(branch, false); err != nil {
		if err := tree.Checkout(&git.CheckoutOptions{Branch: branch, Create: true}); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	if err := os.WriteFile(filepath.Join(tree.Filesystem.Root(), name), content, 0o600); err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := tree.Add(name); err != nil {
		return plumbing.ZeroHash, err
	}
	ada := &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Now()}
	return tree.Commit("Add "+name, &git.CommitOptions{Author: ada})
}

func push(repository *git.Repository, auth transport.AuthMethod, options map[string]string) error {
	var said bytes.Buffer
	err := repository.Push(&git.PushOptions{
		RefSpecs: []config.RefSpec{"refs/heads/made:refs/heads/made"},
		Auth:     auth,
		Progress: &said,
		Options:  options,
	})
	fmt.Print(said.String())
	return err
}
