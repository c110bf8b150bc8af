import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { baseOf, idsOf, type Kind, kinds, made, makers, plain, queryOf } from './test-support.ts'
import { until } from '#test/until.ts'

const otherUrls = [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:image/svg+xml,x',
  'ftp://example.com/x',
  '//example.com/x',
  '/x.svg',
  'example.com',
  'https:example.com',
  'https://',
  'https:///x',
  'https://?x',
  'https://exa mple.com',
  'https://example.com/a b',
  'https://example.com/\u007f',
  'ht\ntps://example.com',
  'https:\\\\example.com',
  'https://\\example.com',
  'https://example.com\\@other.example',
  'https://%{unknown}/x',
  '%{project_title}://example.com',
  '%{project_title}',
]

const webUrls = [
  'HTTPS://Example.com',
  'http://localhost:3000/x?a=b&c=%20#d',
  'https://%{project_name}.%{service_pages_domain}/x',
  'https://%{gitlab_server}/%{project_path}/-/badges',
  'https://example.com/%{unknown}',
  'https://[::1]/x',
  'https://bücher.example/ü',
]

describe.each(kinds)('POST /%ss/:id/badges', (kind) => {
  test('answers 201 with the seven fields of a badge', async () => {
    const place = await makers[kind]()
    const name = unique('badge')
    const request = {
      name,
      link_url: 'https://ci.example.com/%{project_id}',
      image_url: 'http://ci.example.com/x.svg',
    }
    const { status, body } = await place.owner.post(baseOf(kind, place), request)
    const link = kind === 'project' ? `https://ci.example.com/${place.id}` : request.link_url
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        ...request,
        rendered_link_url: link,
        rendered_image_url: request.image_url,
        kind,
      },
    ])
    expect((await place.guest.get(`${baseOf(kind, place)}/${body.id}`)).body).toEqual(body)
    expect((await place.guest.get(baseOf(kind, place))).body).toEqual([body])
  })

  test('needs link_url and image_url, and no name', async () => {
    const place = await makers[kind]()
    expect((await made(kind, place)).name).toBeNull()
    expect((await made(kind, place, { name: '' })).name).toBeNull()
    const { status, body } = await place.owner.post(baseOf(kind, place), {})
    expect([status, body]).toEqual([
      400,
      {
        message: '400 (Bad request) "link_url" not given',
        error: 'link_url is missing, image_url is missing',
      },
    ])
    const blank = await place.owner.post(baseOf(kind, place), { ...plain, link_url: ' ' })
    expect([blank.status, blank.body.error]).toEqual([400, 'link_url is empty'])
  })

  test('takes at most 255 characters of a name and 2,048 of a URL', async () => {
    const place = await makers[kind]()
    const link_url = `https://x.example/${'a'.repeat(2048 - 18)}`
    await made(kind, place, { name: 'x'.repeat(255), link_url })
    for (const given of [{ name: 'x'.repeat(256) }, { link_url: `${link_url}a` }]) {
      const { status, body } = await place.owner.post(baseOf(kind, place), { ...plain, ...given })
      expect([status, Object.keys(body.message)]).toEqual([400, Object.keys(given)])
    }
  })

  test('refuses what is no http or https URL, in the form of a validation error', async () => {
    const place = await makers[kind]()
    const sentence = ['must be a valid http or https URL']
    const refusals = async (given: object) => {
      const { status, body } = await place.owner.post(baseOf(kind, place), { ...plain, ...given })
      return [given, status, body]
    }
    for (const url of otherUrls) {
      for (const given of [{ link_url: url }, { image_url: url }, { link_url: url, image_url: url }]) {
        const message = Object.fromEntries(Object.keys(given).map((name) => [name, sentence]))
        expect(await refusals(given)).toEqual([given, 400, { message }])
      }
    }
    expect(await idsOf(place.owner, baseOf(kind, place))).toEqual([])
  })

  test('accepts http and https URLs, with placeholders anywhere but in the scheme', async () => {
    const place = await makers[kind]()
    for (const url of webUrls)
      expect(await made(kind, place, { link_url: url })).toMatchObject({ link_url: url })
  })

  test('takes parameters of the query, as one client sends them', async () => {
    const place = await makers[kind]()
    const { status, body } = await place.owner.post(
      `${baseOf(kind, place)}?${queryOf({ ...plain, name: 'q' })}`,
    )
    expect([status, body]).toEqual([201, expect.objectContaining({ ...plain, name: 'q' })])
  })
})

describe.each(kinds)('GET /%ss/:id/badges', (kind) => {
  test('lists badges as they were created, on pages', async () => {
    const place = await makers[kind]()
    const ids = []
    for (const name of ['c', 'a', 'b']) ids.push((await made(kind, place, { name })).id)
    expect(await idsOf(place.guest, baseOf(kind, place))).toEqual(ids)
    const { body, headers } = await place.guest.get(`${baseOf(kind, place)}?per_page=2&page=2`)
    expect(body.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2))
    expect(['x-total', 'x-total-pages', 'x-prev-page'].map((name) => headers.get(name))).toEqual([
      '3',
      '2',
      '1',
    ])
    expect((await place.guest.get(`${baseOf(kind, place)}?pagination=keyset`)).status).toBe(405)
  })

  test('finds a name exactly and in its case', async () => {
    const place = await makers[kind]()
    const [upper, lower] = [
      await made(kind, place, { name: 'Coverage' }),
      await made(kind, place, { name: 'coverage' }),
    ]
    await made(kind, place)
    const named = (name: string) => idsOf(place.guest, `${baseOf(kind, place)}?${queryOf({ name })}`)
    expect(await named('Coverage')).toEqual([upper.id])
    expect(await named('coverage')).toEqual([lower.id])
    expect(await named('cover')).toEqual([])
    expect(await named('coverage ')).toEqual([])
    expect(await named('%')).toEqual([])
  })

  test('costs the same statements for 100 badges as for one', async () => {
    const place = await makers[kind]()
    const list = async () => void (await place.guest.get(`${baseOf(kind, place)}?per_page=100`))
    const badge = await made(kind, place, {
      link_url: 'https://x.example/%{project_path}/%{commit_sha}/%{latest_tag}',
    })
    await list()
    const one = await w.statements(list)
    await w.db
      .insertInto('badges')
      .columns(['namespace_id', 'link_url', 'image_url', 'created_at', 'updated_at'])
      .expression((eb) =>
        eb
          .selectFrom(['badges', sql`generate_series(1, 99)`.as('n')])
          .select(['namespace_id', 'link_url', 'image_url', 'created_at', 'updated_at'])
          .where('id', '=', badge.id),
      )
      .execute()
    expect((await place.guest.get(baseOf(kind, place))).headers.get('x-total')).toBe('100')
    const all = await w.statements(list)
    expect(all).toEqual(one)
    expect(all).toHaveLength(3)
  })
})

describe.each(kinds)('a badge of a %s', (kind) => {
  test('is found by its id in its own place only', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const { id, path } = await made(kind, place)
    const elsewhere = `${baseOf(kind, other)}/${id}`
    const missing = { status: 404, body: { message: '404 Badge Not Found' } }
    expect(await other.owner.get(elsewhere)).toMatchObject(missing)
    expect(await other.owner.put(elsewhere, { name: 'x' })).toMatchObject(missing)
    expect(await other.owner.delete(elsewhere)).toMatchObject(missing)
    expect((await place.owner.get(path)).status).toBe(200)
    expect((await place.owner.get(`${baseOf(kind, place)}/x`)).status).toBe(400)
  })

  test('changes by PUT what is given, and nothing else', async () => {
    const place = await makers[kind]()
    const { path, ...before } = await made(kind, place, { name: 'old' })
    const change = async (given: object) => {
      const { status, body } = await place.owner.put(path, given)
      expect(status).toBe(200)
      expect((await place.guest.get(path)).body).toEqual(body)
      return body
    }
    expect(await change({})).toEqual(before)
    expect(await change({ name: 'new' })).toEqual({ ...before, name: 'new' })
    const link_url = 'https://other.example/'
    expect(await change({ link_url })).toEqual({
      ...before,
      name: 'new',
      link_url,
      rendered_link_url: link_url,
    })
    expect(await change({ name: null })).toMatchObject({ name: null, link_url })
  })

  test('keeps its URLs when PUT gives one that is no URL of the web', async () => {
    const place = await makers[kind]()
    const { path, ...before } = await made(kind, place)
    const { status, body } = await place.owner.put(path, { name: 'x', image_url: 'javascript:alert(1)' })
    expect([status, body]).toEqual([400, { message: { image_url: ['must be a valid http or https URL'] } }])
    expect((await place.owner.put(path, { link_url: '' })).body.error).toBe('link_url is empty')
    expect((await place.guest.get(path)).body).toEqual(before)
  })

  test('is deleted by DELETE, with an empty answer', async () => {
    const place = await makers[kind]()
    const { path } = await made(kind, place)
    const { status, text } = await place.owner.delete(path)
    expect([status, text]).toEqual([204, ''])
    expect((await place.owner.get(path)).status).toBe(404)
    expect((await place.owner.delete(path)).status).toBe(404)
  })

  test('is removed with its place', async () => {
    const place = await makers[kind]()
    const { id } = await made(kind, place)
    expect((await w.root.delete(`/${kind}s/${place.id}`)).status).toBe(202)
    const left = () => w.db.selectFrom('badges').select('id').where('id', '=', id).execute()
    await until(async () => expect(await left()).toEqual([]))
  })
})

describe('the badges of a project', () => {
  /** A project two groups deep, and a badge of each. */
  async function nested() {
    const top = await w.group({ path: unique('top') })
    const inner = await w.group({ path: unique('inner'), parent: top.id })
    const project = await w.project({ parent: inner.id })
    const badges = [
      await made('group', inner, { name: 'same' }),
      await made('project', project, { name: 'same', link_url: 'https://x.example/%{project_id}' }),
      await made('group', top, { link_url: 'https://x.example/%{project_path}' }),
    ]
    return { top, inner, project, badges }
  }

  test('include those of its group and of all groups above, with their kind', async () => {
    const { top, inner, project, badges } = await nested()
    const { body } = await project.guest.get(baseOf('project', project))
    expect(body.map(({ id, kind }: { id: number; kind: Kind }) => [id, kind])).toEqual([
      [badges[0].id, 'group'],
      [badges[1].id, 'project'],
      [badges[2].id, 'group'],
    ])
    expect(await idsOf(project.guest, `${baseOf('project', project)}?name=same`)).toEqual([
      badges[0].id,
      badges[1].id,
    ])
    expect(await idsOf(inner.guest, baseOf('group', inner))).toEqual([badges[0].id])
    expect(await idsOf(top.guest, baseOf('group', top))).toEqual([badges[2].id])
  })

  test('have placeholders replaced with the values of this project, also those of groups', async () => {
    const { inner, project, badges } = await nested()
    const other = await w.project({ parent: inner.id })
    for (const { id, fullPath } of [project, other]) {
      const { body } = await w.root.get(`/projects/${id}/badges/${badges[2].id}`)
      expect(body).toMatchObject({ kind: 'group', rendered_link_url: `https://x.example/${fullPath}` })
    }
  })

  test('are not those of groups beside or below, nor of a group that it was moved from', async () => {
    const { top, inner, project, badges } = await nested()
    const beside = await w.group({ parent: top.id })
    await made('group', beside)
    expect(await idsOf(project.owner, baseOf('project', project))).toEqual(badges.map(({ id }) => id))
    expect((await w.root.put(`/projects/${project.id}/transfer`, { namespace: top.id })).status).toBe(200)
    expect(await idsOf(w.root, baseOf('project', project))).toEqual([badges[1].id, badges[2].id])
    expect(await idsOf(w.root, baseOf('group', inner))).toEqual([badges[0].id])
  })

  test.each(['put', 'delete'] as const)(
    'are refused by %s with 403 and the endpoint of the group, if a group has them',
    async (method) => {
      const { top, inner, project, badges } = await nested()
      for (const [badge, group] of [
        [badges[0], inner],
        [badges[2], top],
      ] as const) {
        const endpoint = `/groups/${encodeURIComponent(group.fullPath)}/badges/${badge.id}`
        const path = `${baseOf('project', project)}/${badge.id}`
        for (const by of [project.maintainer, w.root]) {
          const { status, body } = await by[method](path, { name: 'x' })
          const message = `403 Forbidden - The badge belongs to a group: use ${endpoint} instead`
          expect([status, body]).toEqual([403, { message }])
        }
        expect((await w.root.get(path)).body.name).toBe(badge.name)
        expect((await group.owner[method](endpoint, { name: 'x' })).status).toBe(method === 'put' ? 200 : 204)
      }
    },
  )

  test('cannot be changed by members of the project who lack the role, whoever has the badge', async () => {
    const { project, badges } = await nested()
    for (const { id } of badges) {
      const path = `${baseOf('project', project)}/${id}`
      for (const method of ['put', 'delete'] as const) {
        const { status, body } = await project.developer[method](path, { name: 'x' })
        expect([status, body]).toEqual([403, { message: '403 Forbidden' }])
      }
    }
  })
})

describe('GET /projects/:id/badges/render', () => {
  test('answers the four URLs and keeps nothing', async () => {
    const project = await w.project()
    const asked = {
      link_url: 'https://x.example/%{project_id}',
      image_url: 'https://x.example/%{project_name}.svg',
    }
    const { status, body } = await project.maintainer.get(
      `${baseOf('project', project)}/render?${queryOf(asked)}`,
    )
    expect([status, body]).toEqual([
      200,
      {
        ...asked,
        rendered_link_url: `https://x.example/${project.id}`,
        rendered_image_url: `https://x.example/${project.fullPath.split('/').at(-1)}.svg`,
      },
    ])
    expect(await idsOf(project.guest, baseOf('project', project))).toEqual([])
  })
})

describe.each(kinds)('GET /%ss/:id/badges/render', (kind) => {
  test('needs both URLs, and refuses others than http and https', async () => {
    const place = await makers[kind]()
    const base = `${baseOf(kind, place)}/render`
    const missing = await place.owner.get(`${base}?link_url=https://x.example`)
    expect([missing.status, missing.body]).toEqual([
      400,
      { message: '400 (Bad request) "image_url" not given', error: 'image_url is missing' },
    ])
    const wrong = await place.owner.get(`${base}?${queryOf({ ...plain, link_url: 'mailto:x' })}`)
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { message: { link_url: ['must be a valid http or https URL'] } },
    ])
  })
})
