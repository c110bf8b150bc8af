import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Config } from '#platform/config/config.ts'
import type { Secrets } from '#platform/db/secrets.ts'

/** The Ed25519 private key with which an instance issues licenses for itself: made once, and the same on every node. */
export async function ownKey(secrets: Secrets): Promise<KeyObject> {
  const der = await secrets.namedSecret('license signing key', () =>
    generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }),
  )
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** The public keys that the instance trusts for licenses: those of its configuration and its own. */
export async function trustedKeys(
  secrets: Secrets,
  { licensePublicKeys }: Pick<Config, 'licensePublicKeys'>,
): Promise<KeyObject[]> {
  return [...licensePublicKeys, createPublicKey(await ownKey(secrets))]
}
