import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MeasuredServer } from '#test/measured-server.ts'
import { w } from '#test/world.ts'
import { cloneOf, git, projectWith, pushesTo, withGit } from './test-support.ts'
import { until } from '#test/until.ts'

withGit()

const MB = 1024 * 1024
/** `LARGE_PUSH=500` for the size that this promises; it takes half a minute. */
const MEGABYTES = Number(process.env['LARGE_PUSH'] ?? 60)
/** What the server may grow by meanwhile, however large the push is. It is 50 MB of buffers that nobody has collected yet. */
const GROWTH = 80 * MB

/** Runs something, and tells by how much the memory of a server has grown at most meanwhile. */
async function growthOf(server: MeasuredServer, work: () => Promise<unknown>): Promise<number> {
  const before = (await server.measure('collected')).rss
  let most = 0
  const look = async () => {
    most = Math.max(most, (await server.measure()).rss - before)
  }
  const watching = setInterval(() => void look(), 20)
  await work()
  clearInterval(watching)
  return most
}

it(
  `${MEGABYTES} MB pass through little memory; a push that is interrupted leaves nothing`,
  {
    timeout: 300_000,
  },
  async () => {
    await using server = await MeasuredServer.start(w)
    const { project, url, work } = await projectWith({ a: '1' })
    const here = url.replace(new URL(url).host, new URL(server.url).host)
    await work.commit({ a: '2' })
    await work.run('push', '--quiet', here, 'main')
    // Random bytes are neither compressed nor compared.
    await work.run('config', 'core.compression', '0')
    await work.run('config', 'core.bigFileThreshold', '1m')
    const files = Array.from({ length: MEGABYTES / 4 }, (_, index) => `random-${index}`)
    const head = await work.commit(Object.fromEntries(files.map((name) => [name, randomBytes(4 * MB)])))
    const { folder } = (await w.running.services.repositories.ofProject(project.id)) ?? { folder: '' }
    const objects = join(folder, 'objects')
    const quarantines = async () =>
      (await readdir(objects))
        .filter((name) => name.startsWith('tmp_objdir'))
        .map((name) => join(objects, name))
    const arrived = async () => {
      const [quarantine = ''] = await quarantines()
      const names = await readdir(join(quarantine, 'pack'))
      const sizes = await Promise.all(names.map((name) => stat(join(quarantine, 'pack', name))))
      return sizes.reduce((sum, { size }) => sum + size, 0)
    }

    const leaving = await git().start(['push', '--quiet', here, 'main'], { cwd: work.folder })
    await until(async () => expect(await arrived()).toBeGreaterThan(MB))
    leaving.kill()
    await until(async () => expect(await quarantines()).toEqual([]))
    expect(await pushesTo(project)).toHaveLength(2)

    // The one before has paid for what stays.
    const push = () => work.run('push', '--quiet', here, 'main')
    expect(await growthOf(server, push)).toBeLessThan(GROWTH)
    expect(await pushesTo(project)).toHaveLength(3)
    let copy = ''
    const clone = async () => {
      copy = (await cloneOf(here, '--bare')).folder
    }
    expect(await growthOf(server, clone)).toBeLessThan(GROWTH)
    expect(await git().run(['-C', copy, 'rev-parse', 'main'])).toBe(`${head}\n`)
    await git().run(['-C', copy, 'fsck', '--connectivity-only'])
  },
)
