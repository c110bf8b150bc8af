import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badRequest } from '#platform/refusals.ts'
import { flag, nullable, text } from '#platform/http/schema.ts'
import { describeApi } from '#platform/openapi/document.ts'
import { openWorld, unique, type World } from '#test/world.ts'
import { projectEntity } from './entity.ts'
import {
  type ExtensionParameters,
  type ProjectExtension,
  projectExtensions,
  type ValuesOf,
} from './extension-points.ts'
import { newProject } from './parameters.ts'

// A feature that the program does not have: mottoes of projects. It also brings `use_custom_template`, which the
// program refuses. Nothing of it is in src.

const parameters = { motto: text({ max: 40, description: 'A few words to live by.' }) }
const readme = { use_custom_template: flag({ description: 'Takes the motto for a README.' }) }
const fields = { motto: nullable(text()) }

declare module './extension-points.ts' {
  interface ExtensionParameters extends Partial<ValuesOf<typeof parameters & typeof readme>> {}
  interface ExtensionColumns extends ValuesOf<typeof fields> {}
  interface ExtensionFields extends ValuesOf<typeof fields> {}
}

const mottoes: ProjectExtension = {
  parameters: { creation: { ...parameters, ...readme }, changes: parameters },
  check({ motto }: ExtensionParameters) {
    if (motto?.includes('!')) throw badRequest('motto: no shouting')
  },
  async afterCreation(tx, { id, name }, { motto, use_custom_template = false }) {
    const words = motto ?? (use_custom_template ? `Read ${name}` : null)
    if (words === null) return
    await sql`insert into mottoes (project_id, words, readme)
      values (${id}, ${words}, ${use_custom_template})`.execute(tx.db)
    if (words === 'In vain') throw badRequest('motto: is in vain')
  },
  async afterChange(tx, { id }, { motto }) {
    if (motto === undefined) return
    await sql`insert into mottoes (project_id, words) values (${id}, ${motto})
      on conflict (project_id) do update set words = excluded.words`.execute(tx.db)
  },
  columns: () => [sql<string | null>`(select words from mottoes o where o.project_id = p.id)`.as('motto')],
  fields,
  present: ({ motto }) => ({ motto, empty_repo: motto === null }),
  presentSimple: ({ full_path, motto }, { site }) =>
    motto === null ? {} : { readme_url: `${site}/${full_path}/README` },
}

const registered = projectExtensions.add(mottoes)
let own: World

beforeAll(async () => {
  own = await openWorld()
  await sql`
    create table mottoes (
      project_id bigint primary key references projects (id) on delete cascade,
      words text not null,
      readme boolean not null default false
    )`.execute(own.db)
})
afterAll(async () => {
  registered[Symbol.dispose]()
  await own.running.stop()
})

const named = (more: object) => ({ name: unique('p'), ...more })
const countMottoes = async () =>
  (await sql<{ n: number }>`select count(*)::integer as n from mottoes`.execute(own.db)).rows[0]?.n

describe('a parameter that a feature adds', () => {
  test('is kept by the step in the transaction, and shown', async () => {
    const user = await own.user()
    const made = await user.post('/projects', named({ motto: 'Festina lente' }))
    expect(made).toMatchObject({ status: 201, body: { motto: 'Festina lente', empty_repo: false } })
    const without = await user.post('/projects', named({}))
    expect(without).toMatchObject({ status: 201, body: { motto: null, empty_repo: true } })
  })

  test('counts where an administrator makes a project for somebody', async () => {
    const user = await own.user()
    const made = await own.root.post(`/projects/user/${user.id}`, named({ motto: 'Carpe diem' }))
    expect(made).toMatchObject({ status: 201, body: { motto: 'Carpe diem', owner: { id: user.id } } })
  })

  test('follows its schema', async () => {
    const { status, body } = await own.root.post('/projects', named({ motto: 'x'.repeat(41) }))
    expect([status, body.error]).toEqual([400, 'motto is too long (maximum is 40 characters)'])
  })

  test('is checked before the transaction', async () => {
    const sent = named({ motto: 'Hurry!' })
    const statements = await own.statements(async () => {
      const { status, body } = await own.root.post('/projects', sent)
      expect([status, body.message]).toEqual([400, '400 Bad request - motto: no shouting'])
    })
    // The one that finds out who asks.
    expect(statements).toHaveLength(1)
    const p = await own.project()
    expect((await p.owner.put(`/projects/${p.id}`, { motto: 'Hurry!' })).status).toBe(400)
  })

  test('changes with the project, alone or beside others', async () => {
    const p = await own.project()
    const changed = await p.owner.put(`/projects/${p.id}`, { motto: 'First' })
    expect(changed).toMatchObject({ status: 200, body: { motto: 'First' } })
    const again = await p.owner.put(`/projects/${p.id}`, { motto: 'Second', description: 'New' })
    expect(again.body).toMatchObject({ motto: 'Second', description: 'New' })
    expect((await p.owner.put(`/projects/${p.id}`, { description: 'Newer' })).body.motto).toBe('Second')
    expect((await p.developer.put(`/projects/${p.id}`, { motto: 'Mine' })).status).toBe(403)
  })
})

test('a step that throws undoes the project', async () => {
  const sent = named({ motto: 'In vain' })
  const before = await countMottoes()
  const { status, body } = await own.root.post('/projects', sent)
  expect([status, body.message]).toEqual([400, '400 Bad request - motto: is in vain'])
  expect(await countMottoes()).toBe(before)
  const left = await own.db.selectFrom('namespaces').select('id').where('name', '=', sent.name).execute()
  expect(left).toEqual([])
})

describe('parameters that come later', () => {
  test('are taken over by the feature that brings them, where it brings them', async () => {
    const sent = named({ use_custom_template: true })
    const made = await own.root.post('/projects', sent)
    expect(made).toMatchObject({ status: 201, body: { motto: `Read ${sent.name}` } })
    const changed = await own.root.put(`/projects/${made.body.id}`, { use_custom_template: true })
    expect([changed.status, changed.body.message]).toEqual([
      400,
      '400 Bad request - use_custom_template: there are no project templates yet',
    ])
  })

  test('are refused as long as no feature brings them', async () => {
    const { status, body } = await own.root.post('/projects', named({ mirror: true }))
    expect([status, body.message]).toEqual([400, '400 Bad request - mirror: there are no mirrors yet'])
  })
})

describe('a field that a feature adds', () => {
  test('is in every list, in no more statements', async () => {
    const group = await own.group()
    const list = `/groups/${group.encoded}/projects?order_by=id&sort=asc`
    const create = (motto: string) => group.owner.post('/projects', named({ motto, namespace_id: group.id }))
    await create('One')
    const mottoesOf = ({ body }: { body: { motto: string }[] }) => body.map(({ motto }) => motto)
    const one = await own.statements(async () => {
      expect(mottoesOf(await group.owner.get(list))).toEqual(['One'])
    })
    await create('Two')
    await create('Three')
    const three = await own.statements(async () => {
      expect(mottoesOf(await group.owner.get(list))).toEqual(['One', 'Two', 'Three'])
    })
    expect(three.length).toBe(one.length)
    const detail = await group.owner.get(`/groups/${group.encoded}`)
    expect(mottoesOf({ body: detail.body.projects })).toEqual(['Three', 'Two', 'One'])
    expect(
      mottoesOf(await own.root.get(`/projects?search=${group.fullPath}&search_namespaces=true`)),
    ).toHaveLength(3)
  })

  test('is not in the simple form, where a feature replaces only what is there', async () => {
    const p = await own.project({ visibility: 'public' })
    await p.owner.put(`/projects/${p.id}`, { motto: 'Open' })
    const readme_url = expect.stringContaining(`/${p.fullPath}/README`)
    const { body } = await p.anonymous.get(`/projects/${p.id}`)
    expect(body).toMatchObject({ id: p.id, readme_url })
    expect(body).not.toHaveProperty('motto')
    expect((await p.owner.get(`/projects/${p.id}`)).body).toMatchObject({ motto: 'Open', readme_url })
  })
})

describe('what a feature adds to projects', () => {
  test('is in the description of the API', () => {
    const document = JSON.parse(JSON.stringify(describeApi(own.running.app.declaredRoutes, '1')))
    const { schemas } = document.components
    expect(schemas.Project.properties.motto).toEqual({ type: ['string', 'null'], maxLength: 255 })
    expect(schemas.Project.required).toContain('motto')
    expect(schemas.ProjectOrSimple.required).not.toContain('motto')
    const body = ({ requestBody }: { requestBody: { content: Record<string, { schema: object }> } }) =>
      JSON.stringify(requestBody.content['application/json']?.schema)
    const { post } = document.paths['/projects']
    expect(body(post)).toContain('A few words to live by.')
    expect(body(post)).toContain('Takes the motto for a README.')
    const { put } = document.paths['/projects/{id}']
    expect(body(put)).toContain('A few words to live by.')
    expect(body(put)).toContain('Refused: there are no project templates yet.')
  })

  test('may not be there twice', () => {
    using _ = projectExtensions.add({
      fields: { archived: flag() },
      parameters: { creation: { name: text() } },
    })
    expect(() => projectEntity()).toThrow('projects have archived twice')
    expect(() => newProject()).toThrow('projects have name twice')
  })
})
