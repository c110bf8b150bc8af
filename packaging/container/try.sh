#!/usr/bin/env bash
# Tries the container image as an operator runs it: read-only, without rights, stopped and started again.
#
#   packaging/container/try.sh [NAME]
#
# Needs podman, curl and, in places that forbid containers some limits, root and python3. Ends with 4 where no container runs.
set -euo pipefail
image=${1:?which image?}
fail() { echo "FAILED: $1" >&2; podman_ logs forgelet-try 2>&1 | tail -n 20 >&2 || true; exit 1; }

work=${FORGELET_TRY_WORK:-}
if [ -z "$work" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
podman_() { podman ${FORGELET_TRY_WORK:+--runtime "$work/crun"} "$@"; }

if [ -z "${FORGELET_TRY_WORK:-}" ] && ! podman_ run --rm --network none --entrypoint true "$image" 2>"$work/error"; then
  # Some virtual machines forbid their root to raise limits, and have both kinds of cgroups, which crun refuses.
  if [ "$(id -u)" != 0 ] || ! crun=$(command -v crun) || ! command -v python3 >/dev/null; then
    cat "$work/error" >&2
    exit 4
  fi
  cat >"$work/crun" <<EOF
#!/bin/sh
before=
for word; do
  file=
  case \$before in
    --bundle|-b) file=\$word/config.json ;;
    --process|-p) file=\$word ;;
  esac
  [ ! -f "\$file" ] || python3 -c '
import json, sys
config = json.load(open(sys.argv[1]))
config.get("process", config).pop("rlimits", None)
json.dump(config, open(sys.argv[1], "w"))' "\$file"
  before=\$word
done
exec $crun "\$@"
EOF
  chmod 755 "$work/crun"
  status=0
  FORGELET_TRY_WORK=$work unshare --mount bash -c '
    umount /sys/fs/cgroup/unified 2>/dev/null
    podman --runtime "$FORGELET_TRY_WORK/crun" run --rm --network none --entrypoint true "$1" || exit 4
    exec "$0" "$1"' "$0" "$image" || status=$?
  [ "$status" != 4 ] || cat "$work/error" >&2
  exit "$status"
fi

cleanup() {
  podman_ rm --force --volumes forgelet-try >/dev/null 2>&1 || true
  podman_ volume rm --force forgelet-try >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT

token=a-token-of-the-trial-0123456789
started=$(date +%s%N)
podman_ run --detach --name forgelet-try --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --volume forgelet-try:/var/lib/forgelet --publish 127.0.0.1::8080 --env FORGELET_ROOT_TOKEN="$token" "$image" >/dev/null 2>"$work/error" || { cat "$work/error" >&2; fail 'it did not start'; }
ask() { curl --silent --show-error --fail-with-body --header "PRIVATE-TOKEN: $token" "$@"; }
ready() {
  address=$(podman_ port forgelet-try 8080 | head -n 1)
  for count in $(seq 600); do
    if curl --silent --fail "http://$address/-/readiness" >/dev/null 2>&1; then return; fi
    sleep 0.1
    [ $((count % 50)) != 0 ] || [ "$(podman_ inspect --format '{{.State.Running}}' forgelet-try)" = true ] || fail 'it ended'
  done
  fail 'it was not ready within a minute'
}

ready
echo "ready after $((($(date +%s%N) - started) / 1000000)) ms, the first time"
[ "$(podman_ exec forgelet-try id -u)" = 10001 ] || fail 'it does not run as its own account'
if podman_ exec forgelet-try touch /opt/forgelet/written 2>/dev/null; then fail 'the root file system can be written'; fi
if podman_ exec forgelet-try sh -c 'ls /etc/ssh/ssh_host_*' 2>/dev/null; then fail 'the image has host keys, which would be the same everywhere'; fi
podman_ exec forgelet-try test -x /usr/sbin/sshd || fail 'the image has no OpenSSH'
podman_ exec forgelet-try forgelet-health || fail 'the health check says that it does not work'
podman_ healthcheck run forgelet-try || podman_ healthcheck run forgelet-try || fail 'the image has no health check that works'
podman_ exec forgelet-try forgelet --version
# A project with a commit needs PostgreSQL and git.
ask --data 'name=In a container' --data initialize_with_readme=true "http://$address/api/v4/projects" |
  grep -qF '"path_with_namespace":"root/in-a-container"' || fail 'no project was made'

started=$(date +%s%N)
podman_ stop --time 60 forgelet-try >/dev/null
took=$((($(date +%s%N) - started) / 1000000))
[ "$(podman_ inspect --format '{{.State.ExitCode}}' forgelet-try)" = 0 ] || fail 'it did not end with 0 after SIGTERM'
[ "$took" -lt 20000 ] || fail "it took $took ms to stop"
echo "stopped in $took ms"

podman_ start forgelet-try >/dev/null 2>"$work/error" || { cat "$work/error" >&2; fail 'it did not start again'; }
ready
ask "http://$address/api/v4/projects/root%2Fin-a-container/repository/files/README.md?ref=main" |
  grep -qF '"file_name":"README.md"' || fail 'the project is gone after a restart'
echo 'everything is there after a restart'
