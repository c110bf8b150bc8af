import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { makeKey } from './host-keys.ts'

const generate = async () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  ssh2.utils.generateKeyPair('ed25519', {}, (error, keys) => (error ? reject(error) : resolve(keys.private)))
  return promise
}

/** One of which `ssh2` has cut the public half. */
async function brokenKey(): Promise<string> {
  for (let attempt = 0; attempt < 10_000; attempt += 1) {
    const text = await generate()
    const key = ssh2.utils.parseKey(text)
    if (key instanceof Error || key.getPublicSSH().length !== 51) return text
  }
  throw new Error('ssh2 makes no broken keys any more: makeKey need not try again')
}

test('a host key that ssh2 has written wrongly is made anew', async () => {
  const made = [await brokenKey(), await generate()]
  const [broken] = made
  expect(await makeKey('ed25519', async () => made.shift() ?? '')).not.toBe(broken)
  await expect(makeKey('ed25519', async () => broken ?? '')).rejects.toThrow('no working host key')
})
