import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { archive } from './archive.ts'

test.each(['zip', 'tar.bz2', 'tar'] as const)(
  'a changed %s archive of which nobody reads the rest ends its processes',
  async (format) => {
    const project = await w.project()
    const files = { a: randomBytes(4_000_000), b: randomBytes(8_000_000) }
    const repository = await importInto(project, commits({ files }))
    const whole = await archive(repository, 'main', { format, prefix: '', change: (tar) => tar })
    const [first] = await once(whole, 'data')
    whole.destroy()
    expect(first.length).toBeGreaterThan(0)
    const running = () => repository.git.usage().find(({ lane }) => lane === 'transfer')?.running
    await until(async () => expect(running()).toBe(0))
    // What fails half-way does not end as if it were whole.
    const broken = await archive(repository, 'main', {
      format,
      prefix: '',
      change: (tar) => Readable.from(brokenOff(tar)),
    })
    await expect(buffer(broken)).rejects.toThrow('the disk is gone')
    await until(async () => expect(running()).toBe(0))
  },
)

async function* brokenOff(tar: Readable): AsyncGenerator<Buffer> {
  let left = 2_000_000
  for await (const piece of tar) {
    if (left < 0) throw new Error('the disk is gone')
    const bytes: Buffer = piece
    left -= bytes.length
    yield bytes
  }
}
