import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { MOST_UPLOADS } from './room.ts'
import { fileForm, uploaded } from './test-support.ts'

test('uploads that take no room have a most', async () => {
  const p = await w.project()
  const path = `/projects/${p.id}`
  const { id } = await uploaded(p.developer, path, '', 'empty.txt')
  const send = () => p.developer.send('POST', `${path}/uploads`, { form: fileForm('', 'empty.txt') })
  await sql`insert into uploads (namespace_id, secret, filename, file_id, size, created_at)
    select u.namespace_id, decode(md5(n::text), 'hex'), u.filename, u.file_id, u.size, u.created_at
    from uploads u, generate_series(2, ${MOST_UPLOADS}::integer) n where u.id = ${id}`.execute(w.db)
  const refused = await send()
  expect([refused.status, refused.body.message]).toEqual([
    507,
    expect.stringContaining('there are 100000 uploads'),
  ])
  expect((await p.maintainer.delete(`${path}/uploads/${id}`)).status).toBe(204)
  const ends = await Promise.all([send(), send(), send()])
  expect(ends.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 507, 507])
})
