import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { chmodSync, closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commands } from '#program/cli/commands.ts'
import { localhost } from '#test/certificate.ts'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { filesOfTree, tree } from '#test/tree.ts'
import { folder, forgelet, READY } from './forgelet.ts'
import { forgelet as inProcess } from './in-process.ts'

/** A file system in memory for one test; undefined where this account may not mount. */
function mounted(options: string): string | undefined {
  const at = join(folder(), 'disk')
  mkdirSync(at)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', at], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', at]))
  return at
}

const unmountable = (skip: (reason: string) => void) => skip('only root may mount a file system')

describe(
  'a data folder that cannot be used ends the start with 1 and what to do',
  { timeout: 180_000 },
  () => {
    test('a disk that is mounted read-only', async ({ skip }) => {
      const disk = mounted('size=1m,mode=711,ro')
      if (disk === undefined) return unmountable(skip)
      const { code, err } = await inProcess([], { FORGELET_DATA: join(disk, 'data') })
      expect([code, err]).toEqual([1, expect.stringContaining('mounted read-only: mount it read-write, or')])
      expect(err).not.toContain('should not happen')
      const { out } = await inProcess(['doctor'], { FORGELET_DATA: disk })
      expect(out).toContain(`✗ data folder: ${disk} is on a disk that is mounted read-only`)
    })

    test('a disk that is full, while the embedded database is made', async ({ skip }) => {
      const disk = mounted('size=12m,mode=711')
      if (disk === undefined) return unmountable(skip)
      chmodSync(disk, 0o711)
      const server = forgelet([], { FORGELET_DATA: join(disk, 'data') })
      expect([await server.ended, server.err()]).toEqual([
        1,
        expect.stringMatching(/The disk of \S+ is full: make room .* or choose another data folder/),
      ])
    })

    test('a disk that is full while the server runs refuses what it has no room for, and nothing else', async ({
      skip,
    }) => {
      const disk = mounted('size=300m,mode=711')
      if (disk === undefined) return unmountable(skip)
      const environment = { FORGELET_DATA: join(disk, 'data'), FORGELET_ROOT_TOKEN: ROOT_TOKEN }
      const client = new Client(await forgelet([], environment).saying(READY), {
        'private-token': ROOT_TOKEN,
      })
      const issues = `/projects/${(await client.post('/projects', { name: 'full' })).body.id}/issues`
      const large = () => ({ title: 'large', description: randomBytes(350_000).toString('hex') })
      const rest = openSync(join(disk, 'rest'), 'w')
      onTestFinished(() => closeSync(rest))
      expect(() => {
        for (;;) writeSync(rest, Buffer.alloc(1_048_576))
      }).toThrow('ENOSPC')
      await expect.poll(async () => (await client.post(issues, large())).status).toBe(503)
      expect((await client.post(issues, large())).body.message).toContain('no space left on its disk')
      expect((await client.get(issues)).status).toBe(200)
      ftruncateSync(rest)
      expect((await client.post(issues, large())).status).toBe(201)
    })

    test.each(['/proc/forgelet', '/proc/self/forgelet/data', '/dev/null/data', '/sys/forgelet', '/proc'])(
      '%s, which is no place for files',
      async (FORGELET_DATA) => {
        const server = forgelet(['serve'], { FORGELET_DATA })
        expect(await server.ended).toBe(1)
        expect(server.err()).toContain('FORGELET_DATA')
        expect(server.err()).not.toContain('should not happen')
      },
    )
  },
)

/** A server whose certificate nobody trusts. @param greets whether PostgreSQL's request for TLS comes first */
async function untrustedServer({ asksFirst = false } = {}): Promise<number> {
  const options = { cert: localhost.cert, key: localhost.key }
  const server: Server = asksFirst
    ? createServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => {
          socket.write('S')
          new TLSSocket(socket, { ...options, isServer: true }).on('error', () => {})
        })
      })
    : createTlsServer(options, (socket) => socket.on('error', () => {})).on('tlsClientError', () => {})
  await once(server.listen(0, 'localhost'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('a certificate that is not trusted: the message names NODE_EXTRA_CA_CERTS', () => {
  const advice = /its certificate is not trusted \(.*\): name a file .* NODE_EXTRA_CA_CERTS/

  test('of the database', async () => {
    const port = await untrustedServer({ asksFirst: true })
    const environment = {
      FORGELET_DATA: folder(),
      FORGELET_DATABASE_URL: `postgres://me:hush@localhost:${port}/forgelet?sslmode=verify-full`,
    }
    const { code, err } = await inProcess(['migrate'], environment)
    expect([code, err]).toEqual([1, expect.stringMatching(advice)])
    expect(err).not.toMatch(/hush|should not happen/)
    expect((await inProcess(['doctor'], environment)).out).toMatch(new RegExp(`✗ database: ${advice.source}`))
  })

  test('of the mail server', async () => {
    const port = await untrustedServer()
    const { out } = await inProcess(['doctor'], {
      FORGELET_DATA: folder(),
      FORGELET_SMTP_URL: `smtps://me:hush@localhost:${port}`,
      FORGELET_MAIL_FROM: 'forgelet@example.com',
    })
    expect(out).toMatch(new RegExp(`✗ mail: ${advice.source}`))
  })

  test('of the S3-compatible server', async () => {
    const port = await untrustedServer()
    const { out } = await inProcess(['doctor'], {
      FORGELET_DATA: folder(),
      FORGELET_BLOBS: `s3://bucket?endpoint=https://localhost:${port}&path_style=true`,
      FORGELET_BLOBS_ACCESS_KEY: 'key',
      FORGELET_BLOBS_SECRET: 'secret',
    })
    expect(out).toMatch(new RegExp(`✗ files: ${advice.source}`))
  })

  // src/platform/outgoing/outgoing.test.ts shows it for the servers that users name.
})

describe('what messages and pages tell to run exists', () => {
  const words = new Set(commands.map(({ name }) => name))

  /** The commands that a text names: as code, in quotation marks, or on a line of a shell. */
  function namedIn(text: string): string[] {
    // PostgreSQL shows connections by such a name, which is no command.
    const quoted = /(?<!\b(?:application_)?name: )["'`]forgelet ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g
    const typed = /^\s*(?:npx )?forgelet ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/gm
    const inSentence = /\b(?:run|with|by|see|See|Run) forgelet ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g
    return [quoted, typed, inSentence].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, command = '']) => command),
    )
  }

  const exists = (command: string) => {
    const [one = ''] = command.split(' ')
    // A word behind a command of one word is its argument, or the rest of the sentence.
    return words.has(command) || words.has(one)
  }
  const files = filesOfTree('src', 'docs', 'README.md', 'CONTRIBUTING.md').filter((file) =>
    /(?<!\.test)\.ts$|\.md$/.test(file),
  )
  const found = files.flatMap((file) =>
    namedIn(readFileSync(join(tree, file), 'utf8')).map((command) => ({ file, command })),
  )

  test('there are such messages', () => {
    const named = new Set(found.map(({ command }) => command.split(' ')[0]))
    for (const word of ['backup', 'restore', 'doctor', 'license']) expect([...named]).toContain(word)
  })

  test('each command that they name is one', () => {
    expect(found.filter(({ command }) => !exists(command))).toEqual([])
  })
})
