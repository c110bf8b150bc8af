import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { withSettings } from '#identity/users/test-support.ts'
import { w } from '#test/world.ts'
import { publishGeneric } from '../packages/test-support.ts'
import { publishMaven } from './maven/test-support.ts'
import { publishNpm } from './npm/test-support.ts'
import { publishPython } from './pypi/test-support.ts'

test('a project that is full takes no package of any format, and says why', async () => {
  const p = await w.project()
  await withSettings({ packages_max_project_size: 1 }, async () => {
    const content = 'x'.repeat(1024 * 1024)
    expect((await publishGeneric(p.developer, p, { content })).status).toBe(201)
    for (const publish of [publishNpm, publishPython, publishMaven]) {
      const { status, body } = await publish(p.developer, p)
      expect([status, body.message]).toEqual([
        507,
        expect.stringContaining('would take more than 1 MB, the maximum on this server'),
      ])
    }
    // What is refused is not stored first.
    const large = 'refused '.repeat(50_000)
    expect((await publishGeneric(p.developer, p, { content: large })).status).toBe(507)
    const sha256 = createHash('sha256').update(large).digest()
    expect(await w.db.selectFrom('files').select('id').where('sha256', '=', sha256).execute()).toEqual([])
  })
})

test('packages of several names that come at once do not take more together than there is room for', async () => {
  const p = await w.project()
  await withSettings({ packages_max_project_size: 1 }, async () => {
    const content = 'x'.repeat(600_000)
    const all = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => publishGeneric(p.developer, p, { name, content })),
    )
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 507, 507, 507, 507, 507])
  })
})
