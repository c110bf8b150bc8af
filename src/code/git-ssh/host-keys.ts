import type { Secrets } from '#platform/db/secrets.ts'

const NAME = 'ssh host keys'

/**
 * The private keys by which clients know the server, in OpenSSH's format. They are made once, and are the same on all nodes and in
 * every backup. There is none of RSA: clients that know no other are ten years old.
 */
export async function hostKeys(secrets: Secrets): Promise<readonly string[]> {
  const bytes = await secrets.namedSecret(NAME, async () => {
    const keys = await Promise.all([makeKey('ed25519'), makeKey('ecdsa')])
    return Buffer.from(keys.join(''))
  })
  return bytes.toString('latin1').match(/-----BEGIN [^]*?-----END [^\n]*-----\n?/g) ?? []
}

async function makeKey(type: 'ed25519' | 'ecdsa'): Promise<string> {
  // Loaded for the first start alone.
  const { default: ssh2 } = await import('ssh2')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  ssh2.utils.generateKeyPair(type, type === 'ecdsa' ? { bits: 256 } : {}, (error, keys) =>
    error ? reject(error) : resolve(`${keys.private.trimEnd()}\n`),
  )
  return promise
}
