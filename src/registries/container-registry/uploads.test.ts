import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { digestOf } from '#test/fake-registry.ts'
import { until } from '#test/until.ts'
import { openWorld, w } from '#test/world.ts'
import { Registry, withImages } from './test-support.ts'

type Images = Awaited<ReturnType<typeof withImages>>

const begin = async ({ developer, name }: Images) =>
  (await developer.ask(`${name}/blobs/uploads/`, { method: 'POST' })).headers.get('location') ?? ''

/** Sends a part of what a request announces, and leaves. */
async function breakOff(location: string, token: string, part: Buffer, announced: number): Promise<void> {
  const sending = request(`${w.url}${location}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-length': announced },
  })
  sending.on('error', () => {})
  await new Promise<void>((resolve) => {
    sending.write(part, () => resolve())
  })
  await until(async () => {
    // The server has read something of it.
    expect(sending.writableLength).toBe(0)
  })
  sending.destroy()
}

test('an upload that breaks off goes on from where it was', async () => {
  const place = await withImages()
  const { developer, name } = place
  const bytes = randomBytes(400_000)
  const location = await begin(place)
  const token = (await developer.token(`repository:${name}:pull,push`)) ?? ''
  await breakOff(location, token, bytes.subarray(0, 300_000), bytes.length)
  const there = await until(async () => {
    const { headers } = await developer.ask(location)
    const last = Number(headers.get('range')?.split('-')[1])
    expect(last).toBeGreaterThan(0)
    return last + 1
  })
  const rest = { body: bytes.subarray(there), headers: { 'content-range': `${there}-399999` } }
  expect((await developer.ask(location, { method: 'PATCH', ...rest })).status).toBe(202)
  const put = await developer.ask(`${location}?digest=${digestOf(bytes)}`, { method: 'PUT' })
  expect(put.status).toBe(201)
  expect((await developer.ask(`${name}/blobs/${digestOf(bytes)}`)).bytes).toEqual(bytes)
})

test('an upload goes on at another node, after the one where it began has stopped', async () => {
  const place = await withImages()
  const { developer, name, project } = place
  const bytes = randomBytes(5_000)
  const location = await begin(place)
  await developer.ask(location, { method: 'PATCH', body: bytes.subarray(0, 3_000) })
  const other = await w.another()
  try {
    const there = new Registry(project.developer.token, 'x', other.url)
    expect((await there.ask(location)).headers.get('range')).toBe('0-2999')
    await there.ask(location, { method: 'PATCH', body: bytes.subarray(3_000) })
    const put = await there.ask(`${location}?digest=${digestOf(bytes)}`, { method: 'PUT' })
    expect(put.status).toBe(201)
  } finally {
    await other.stop()
  }
  expect((await developer.ask(`${name}/blobs/${digestOf(bytes)}`)).bytes).toEqual(bytes)
})

test('an upload belongs to its repository', async () => {
  const place = await withImages()
  const location = await begin(place)
  await place.developer.blob(`${place.name}/other`)
  const elsewhere = location.replace('/blobs/', '/other/blobs/')
  expect((await place.developer.ask(elsewhere)).code).toBe('BLOB_UPLOAD_UNKNOWN')
})

test('two pieces at the same time do not both follow the one before', async () => {
  const place = await withImages()
  const location = await begin(place)
  const send = () => place.developer.ask(location, { method: 'PATCH', body: randomBytes(2_000) })
  // Both have a token.
  await place.developer.ask(location)
  const statuses = await Promise.all([send(), send(), send()])
  const taken = statuses.filter(({ status }) => status === 202).length
  const { headers } = await place.developer.ask(location)
  expect(headers.get('range')).toBe(`0-${taken * 2_000 - 1}`)
  for (const { status, code } of statuses)
    if (status !== 202) expect([status, code]).toEqual([416, 'RANGE_INVALID'])
})

test('blobs and projects have limits, and names of images begin with the address that is configured', async () => {
  const own = await openWorld(undefined, undefined, { FORGELET_REGISTRY_URL: 'https://images.example:5050' })
  try {
    const { developer, name, project } = await withImages(own)
    await own.root.put('/application/settings', {
      container_registry_max_blob_size: 1,
      container_registry_max_project_size: 2,
    })
    const post = (size: number) => {
      const body = randomBytes(size)
      return developer.ask(`${name}/blobs/uploads/?digest=${digestOf(body)}`, { method: 'POST', body })
    }
    const large = await post(1_048_577)
    expect([large.status, large.code]).toEqual([413, 'SIZE_INVALID'])
    expect([(await post(1_048_576)).status, (await post(1_048_576)).status]).toEqual([201, 201])
    const more = await post(1)
    expect([more.status, more.code]).toEqual([403, 'DENIED'])
    // What has come of uploads that nobody ends is bounded, too.
    const other = await withImages(own)
    const send = async () => {
      const location = await begin(other)
      return (await other.developer.ask(location, { method: 'PATCH', body: randomBytes(1_000_000) })).status
    }
    expect(await send()).toBe(202)
    const statuses = await Promise.all([send(), send(), send(), send()])
    expect(statuses.toSorted((one, two) => one - two)).toEqual([202, 403, 403, 403])
    const { body } = await project.reporter.get(`/projects/${project.id}/registry/repositories`)
    expect(body[0].location).toBe(`images.example:5050/${name}`)
    const prefix = (await project.reporter.get(`/projects/${project.id}`)).body
      .container_registry_image_prefix
    expect(prefix).toBe(`images.example:5050/${name}`)
  } finally {
    await own.running.stop()
  }
})

test('a repository has a thousand uploads at most that were not ended', async () => {
  const place = await withImages()
  const { developer, name, project } = place
  await begin(place)
  await sql`insert into container_uploads (id, repository_id, size, pieces, created_at, updated_at)
    select 'many-' || r.id || '-' || n, r.id, 0, 0, now(), now()
    from container_repositories r, generate_series(1, 999) as n where r.project_id = ${project.id}`.execute(
    w.db,
  )
  const { status, code, headers } = await developer.ask(`${name}/blobs/uploads/`, { method: 'POST' })
  expect([status, code, headers.get('retry-after')]).toEqual([429, 'TOOMANYREQUESTS', '60'])
})
