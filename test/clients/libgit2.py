"""Clones, pushes and fetches with libgit2, which many programs have in them instead of git: over plain HTTP with a token, or over SSH with the file of a key."""

import os
import sys

import pygit2

url, secret, folder = sys.argv[1:]


class Credentials(pygit2.RemoteCallbacks):
    def credentials(self, url, username_from_url, allowed_types):
        if url.startswith("ssh://"):
            return pygit2.Keypair("git", secret + ".pub", secret, "")
        return pygit2.UserPass("oauth2", secret)

    def certificate_check(self, certificate, valid, host):
        # Nobody has seen this host before.
        return url.startswith("ssh://") or valid

    def push_update_reference(self, refname, message):
        assert message is None, (refname, message)


first = pygit2.clone_repository(url, os.path.join(folder, "first"), callbacks=Credentials())
second = pygit2.clone_repository(url, os.path.join(folder, "second"), callbacks=Credentials())
assert first.head.target == second.head.target

ada = pygit2.Signature("Ada", "ada@example.com")
tree = first.head.peel().tree.id
made = first.create_commit("refs/heads/made", ada, ada, "Made by libgit2", tree, [first.head.target])
first.remotes["origin"].push(["refs/heads/made"], callbacks=Credentials())

second.remotes["origin"].fetch(callbacks=Credentials())
assert second.references["refs/remotes/origin/made"].target == made
print("held", pygit2.LIBGIT2_VERSION)
