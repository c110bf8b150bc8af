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

type KeyType = 'ed25519' | 'ecdsa'

/** Each attempt fails once in 256 times. */
const ATTEMPTS = 10

/**
 * Makes a key that works. `ssh2` writes each 256th key of Ed25519 wrongly: it takes a zero at the beginning of the public half for padding.
 * @param generate for tests
 */
export async function makeKey(type: KeyType, generate = generateKey): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const key = await generate(type)
    if (await works(key)) return key
  }
  throw new Error(`no working host key (${type}) could be made`)
}

async function generateKey(type: KeyType): Promise<string> {
  // Loaded for the first start alone.
  const { default: ssh2 } = await import('ssh2')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  ssh2.utils.generateKeyPair(type, type === 'ecdsa' ? { bits: 256 } : {}, (error, keys) =>
    error ? reject(error) : resolve(`${keys.private.trimEnd()}\n`),
  )
  return promise
}

/** Whether what the private half signs is known by the public one. */
async function works(text: string): Promise<boolean> {
  const { default: ssh2 } = await import('ssh2')
  const key = ssh2.utils.parseKey(text)
  if (key instanceof Error) return false
  const signature = key.sign('host')
  return !(signature instanceof Error) && key.verify('host', signature) === true
}
