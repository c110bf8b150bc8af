import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { plainEnvironment } from '#test/environment.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { folder, forgelet, READY } from './forgelet.ts'
import { forgelet as inProcess } from './in-process.ts'

const START = join(import.meta.dirname, '../../scripts/start.js')
const hasTerminals = existsSync('/usr/bin/script')

/** What a new instance needs. It has no secrets yet. */
const instance = async () => ({
  FORGELET_DATABASE_URL: urlOf(await newDatabase('empty')),
  FORGELET_DATA: folder(),
  FORGELET_SECRET_KEY: 'the master key of the tests, long enough',
  FORGELET_PORT: '0',
})

/** Starts the server on a terminal of its own. */
function onTerminal(environment: NodeJS.Dict<string>) {
  const ready = join(folder(), 'ready')
  const quoted = [process.execPath, START, '--ready-file', ready].map((word) => `'${word}'`).join(' ')
  const child = spawn('/usr/bin/script', ['-qefc', `exec ${quoted}`, '/dev/null'], {
    env: { ...plainEnvironment(), TERM: 'xterm', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const stop = async () => {
    const { pid } = JSON.parse(readFileSync(ready, 'utf8')) as { pid: number }
    process.kill(pid, 'SIGTERM')
    await ended
  }
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { shown: () => shown, stop }
}

describe('the log', { timeout: 180_000 }, () => {
  test.skipIf(!hasTerminals)('is for people on a terminal, which also shows the first secrets', async () => {
    const environment = await instance()
    const server = onTerminal(environment)
    await expect.poll(server.shown).toMatch(READY)
    const [, url = ''] = READY.exec(server.shown()) ?? []
    await new Client(url).get('/version?private_token=hush')
    await expect.poll(server.shown).toContain(' status=401 ')
    await server.stop()
    // oxlint-disable-next-line no-control-regex -- the colour of the level
    expect(server.shown()).toMatch(/^\d\d:\d\d:\d\d\.\d{3} \u001b\[32minfo \u001b\[39m ready on http/m)
    expect(server.shown()).toMatch(/request reqId=\S+ method=GET url=\S+private_token=\[redacted\]/)
    expect(server.shown()).toMatch(/^ {2}token {5}\S{20,}/m)
    expect(server.shown()).not.toContain('hush')
    expect(server.shown()).not.toContain('{"level"')
    expect(existsSync(join(environment.FORGELET_DATA, 'first-administrator.txt'))).toBe(false)
  })

  test.each([
    ['text', /^\d\d:\d\d:\d\d\.\d{3} info {2}ready on /m],
    [undefined, /^\{"level":30,.*"msg":"ready on /m],
  ] as const)(
    'in a pipe, with FORGELET_LOG_FORMAT %s, has no secret of the first start',
    async (format, line) => {
      const environment = await instance()
      const server = forgelet([], { ...environment, FORGELET_LOG_FORMAT: format })
      await server.saying(READY)
      server.process.kill('SIGTERM')
      expect(await server.ended).toBe(0)
      expect(server.out()).toMatch(line)
      const kept = readFileSync(join(environment.FORGELET_DATA, 'first-administrator.txt'), 'utf8')
      const secrets = [...kept.matchAll(/^ {2}(?:password|token) +(\S+)$/gm)].map(([, secret = '']) => secret)
      expect(secrets).toHaveLength(2)
      for (const secret of secrets) expect(server.out() + server.err()).not.toContain(secret)
    },
  )

  test('has a format that is documented, and no other', async () => {
    expect((await inProcess(['--help'])).out).toMatch(/^ {2}FORGELET_LOG_FORMAT .*json.*text/m)
    const refused = await inProcess(['doctor'], { FORGELET_LOG_FORMAT: 'xml' })
    expect(refused.out).toContain('FORGELET_LOG_FORMAT: "xml" is not accepted. Accepted: json, text.')
    const data = { FORGELET_DATA: folder() }
    for (const [format, told] of [
      ['text', '✓ log: level info, as lines for people\n'],
      ['json', '✓ log: level info, as JSON lines\n'],
    ] as const)
      expect((await inProcess(['doctor'], { ...data, FORGELET_LOG_FORMAT: format })).out).toContain(told)
  })
})
