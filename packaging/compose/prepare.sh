#!/bin/sh
# Makes the secrets of compose.yaml, and a certificate for tests: ./prepare.sh forge.example.com
# Run again it changes nothing that is there. Put a real certificate into secrets/certificate.pem and .key.
set -eu
cd "$(dirname "$0")"
name=${1:-localhost}

# Containers read the files under accounts of their own; the folder keeps others of this machine out.
mkdir -p secrets
chmod 700 secrets
umask 022

# Writes a file once.
once() {
  [ -s "secrets/$1" ] || { cat > "secrets/$1.new" && mv "secrets/$1.new" "secrets/$1"; }
}
random() { openssl rand -hex 24 | tr -d '\n'; }

random | once database-password
random | once secret-key
random | once storage-secret
random | once monitoring-token
printf 'postgres://forgelet:%s@postgres:5432/forgelet' "$(cat secrets/database-password)" | once database-url
[ -s secrets/certificate.pem ] ||
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "/CN=$name" \
    -addext "subjectAltName=DNS:$name" -keyout secrets/certificate.key -out secrets/certificate.pem 2>/dev/null
chmod 644 secrets/certificate.key
# By these clients know OpenSSH: compose.openssh.yaml.
for type in ed25519 ecdsa; do
  [ -s "secrets/ssh_host_${type}_key" ] || ssh-keygen -q -t "$type" -N '' -C "$name" -f "secrets/ssh_host_${type}_key"
  chmod 644 "secrets/ssh_host_${type}_key"
done
[ -e .env ] || echo "FORGELET_NAME=$name" > .env
echo "secrets are in $PWD/secrets"
