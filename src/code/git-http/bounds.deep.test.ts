import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { git, projectWith, withGit } from './test-support.ts'

withGit()

type Pushing = Awaited<ReturnType<typeof projectWith>>

const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`

function post(
  { project }: Pushing,
  service: 'git-upload-pack' | 'git-receive-pack',
  body: Buffer,
  gzip = true,
) {
  return fetch(`${w.url}/${project.fullPath}.git/${service}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`x:${project.maintainer.token}`).toString('base64')}`,
      'content-type': `application/x-${service}-request`,
      ...(gzip && { 'content-encoding': 'gzip' }),
    },
    body,
  })
}

const transfers = () =>
  w.running.services.repositories.git.usage().find(({ lane }) => lane === 'transfer')?.running

describe('a request to fetch', () => {
  /** What somebody wants who has very many commits that nobody else has. */
  const wants = (head: string, count: number, have: () => string): Buffer =>
    Buffer.from(
      `${line(`want ${head} side-band-64k\n`)}0000${Array.from({ length: count }, () => line(`have ${have()}\n`)).join('')}`,
    )

  it('is refused with 413 when little becomes very much, whether git has begun to read it or not', async () => {
    const found = await projectWith({ a: '1' })
    const body = gzipSync(wants(found.head, 300_000, () => '1'.repeat(40)))
    expect(body.length).toBeLessThan(100_000)
    const answer = await post(found, 'git-upload-pack', body)
    expect([answer.status, await answer.text()]).toEqual([
      413,
      'The request becomes more than 100 times larger when it is decompressed.\n',
    ])
    await until(() => expect(transfers()).toBe(0))
  })

  it('is refused with 400 when it is damaged, or ends too early', async () => {
    const found = await projectWith({ a: '1' })
    const body = gzipSync(wants(found.head, 40_000, () => randomBytes(20).toString('hex')))
    const damaged = Buffer.from(body)
    damaged.fill(0xff, body.length - 3_000)
    for (const sent of [body.subarray(0, 100), body.subarray(0, -9), damaged, Buffer.from('no gzip')]) {
      const answer = await post(found, 'git-upload-pack', sent)
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringMatching(/^The compressed request is damaged\.|^Git does not understand the request/),
      ])
    }
    // More than is read before git begins.
    const garbage = Buffer.from('zz'.repeat(1024 * 1024))
    const answer = await post(found, 'git-upload-pack', garbage, false)
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('Git does not understand the request'),
    ])
    await until(() => expect(transfers()).toBe(0))
  })
})

describe('an answer', () => {
  it('breaks off when git fails after it has begun, so that it never looks complete', async () => {
    const found = await projectWith({ large: randomBytes(16 * 1024 * 1024) })
    const body = Buffer.from(`${line(`want ${found.head} side-band-64k ofs-delta\n`)}00000009done\n`)
    const answer = await post(found, 'git-upload-pack', body, false)
    expect(answer.headers.get('transfer-encoding')).toBe('chunked')
    const reader = answer.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const { folder } = (await w.running.services.repositories.ofProject(found.project.id)) ?? { folder: '' }
    process.kill(await pidOf('upload-pack', folder), 'SIGKILL')
    const rest = (async () => {
      while ((await reader?.read())?.done === false);
    })()
    await expect(rest).rejects.toThrow('terminated')
    await until(() => expect(transfers()).toBe(0))
  })
})

/** The process that runs a command of git in a folder. */
async function pidOf(command: string, folder: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  const at = lines.findIndex((one) => one.includes(command) && one.includes(folder))
  return Number(pids[at])
}

describe('a push with absurd commands', () => {
  const NAME = 'x'.repeat(60_000)
  const command = (name: string, index: number) =>
    `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/${name}${index}`

  const refusedWith = async (answer: Response) => {
    const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
    return [answer.status, /Forgelet: ([^\n]*)/.exec(text)?.[1], /unpack ([^\n]*)/.exec(text)?.[1]]
  }

  const commands = (count: number, name: string, first = '\0report-status side-band-64k') =>
    Buffer.from(
      `${Array.from({ length: count }, (_, index) => line(command(name, index) + (index === 0 ? first : ''))).join('')}0000`,
    )

  it('is refused in words that git prints', async () => {
    const { work, url } = await projectWith({ a: '1' })
    const refused = await work.try('push', 'origin', `main:refs/heads/${'long/'.repeat(300)}end`)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('remote: Forgelet: A push names references in at most 1024 bytes each')
    expect(await git().run(['ls-remote', url])).not.toContain('long')
  })

  it('says what is wrong when it is damaged on the way', async () => {
    const found = await projectWith({ a: '1' })
    const head = Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1')
    const body = gzipSync(Buffer.concat([commands(1, 'x'), head, randomBytes(200_000)]))
    const answer = await post(found, 'git-receive-pack', body.fill(0xff, 5_000, 5_100))
    // Whoever sees it first says so: what decompresses, before or after git has begun to report, or git.
    expect([200, 400]).toContain(answer.status)
    expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toMatch(
      /The compressed request is damaged|the pack is damaged, or holds what git refuses/,
    )
  })

  it('of thousands of long names takes little memory', async () => {
    const found = await projectWith({ a: '1' })
    const part = commands(100, NAME).subarray(0, -4)
    const body = gzipSync(Buffer.concat(Array.from({ length: 10 }, () => part)))
    const before = process.memoryUsage.rss()
    const reason = 'push names references in at most 1024 bytes each'
    expect(await refusedWith(await post(found, 'git-receive-pack', body))).toEqual([
      200,
      `A ${reason}`,
      `a ${reason}`,
    ])
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024)
    expect(gunzipSync(body).length).toBeGreaterThan(50 * 1024 * 1024)
  })

  it('is refused for all its bytes, and for where its clone ends', async () => {
    const found = await projectWith({ a: '1' })
    const names = commands(18_000, 'x'.repeat(940))
    expect(await refusedWith(await post(found, 'git-receive-pack', names, false))).toEqual([
      200,
      'A push has at most 16 MB of commands',
      'a push has at most 16 MB of commands',
    ])
    const ends = line(`shallow ${'1'.repeat(40)}`).repeat(100_001)
    const shallow = Buffer.concat([commands(1, 'y').subarray(0, -4), Buffer.from(`${ends}0000`)])
    expect(await refusedWith(await post(found, 'git-receive-pack', shallow, false))).toEqual([
      200,
      'A push comes from a clone that ends at 100000 commits at most',
      'a push comes from a clone that ends at 100000 commits at most',
    ])
    const silent = await post(found, 'git-receive-pack', commands(1, NAME, '\0'), false)
    expect([silent.status, await silent.text()]).toEqual([
      413,
      'a push names references in at most 1024 bytes each.\n',
    ])
  })
})
