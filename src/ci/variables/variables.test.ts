import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { rotateKeys } from '#platform/key-ring/key-ring.ts'
import { unique, w } from '#test/world.ts'

const kinds = ['project', 'group'] as const
const makers = { project: () => w.project(), group: () => w.group() }

const nameOf = (what: string) => unique(what).replaceAll('-', '_').toUpperCase()

/** A place with the address of its variables. */
async function placeOf(kind: (typeof kinds)[number]) {
  const place = await makers[kind]()
  const keeper = kind === 'project' ? place.maintainer : place.owner
  return { ...place, keeper, path: `/${kind}s/${place.id}/variables` }
}

const asMade = {
  variable_type: 'env_var',
  protected: false,
  masked: false,
  hidden: false,
  raw: false,
  environment_scope: '*',
  description: null,
}

describe.each(kinds)('CI/CD variables of a %s', (kind) => {
  test('are created with a key and a value, listed in that order, changed and deleted', async () => {
    const { keeper, path } = await placeOf(kind)
    const first = await keeper.post(path, { key: 'FIRST', value: 'one' })
    expect([first.status, first.body]).toEqual([201, { key: 'FIRST', value: 'one', ...asMade }])
    const given = {
      key: 'SECOND',
      value: '{"a": 1}',
      variable_type: 'file',
      protected: true,
      raw: true,
      environment_scope: 'review/*',
      description: 'for reviews',
    }
    const second = await keeper.post(path, given)
    expect(second.body).toEqual({ ...asMade, ...given })
    expect((await keeper.get(path)).body).toEqual([first.body, second.body])
    const changed = await keeper.put(`${path}/SECOND`, { value: '', protected: false, description: null })
    const after = { ...second.body, value: '', protected: false, description: null }
    expect([changed.status, changed.body]).toEqual([200, after])
    expect((await keeper.get(`${path}/SECOND`)).body).toEqual(after)
    expect((await keeper.delete(`${path}/SECOND`)).status).toBe(204)
    expect((await keeper.get(`${path}/SECOND`)).body).toEqual({ message: '404 Variable Not Found' })
    expect((await keeper.get(path)).body).toEqual([first.body])
  })

  test('are paged', async () => {
    const { keeper, path } = await placeOf(kind)
    for (const key of ['A', 'B', 'C']) await keeper.post(path, { key, value: key })
    const page = await keeper.get(`${path}?per_page=2&page=2`)
    expect(page.body.map(({ key }: { key: string }) => key)).toEqual(['C'])
    expect(page.headers.get('x-total')).toBe('3')
  })

  test('of one key for several environments need the filter', async () => {
    const { keeper, path } = await placeOf(kind)
    for (const environment_scope of ['production', 'staging'])
      await keeper.post(path, { key: 'URL', value: environment_scope, environment_scope })
    const several = await keeper.get(`${path}/URL`)
    expect([several.status, several.body]).toEqual([
      409,
      {
        message:
          "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
      },
    ])
    expect((await keeper.put(`${path}/URL`, { value: 'x' })).status).toBe(409)
    expect((await keeper.delete(`${path}/URL`)).status).toBe(409)
    const meant = `${path}/URL?filter[environment_scope]=staging`
    expect((await keeper.get(meant)).body.value).toBe('staging')
    const filter = { environment_scope: 'staging' }
    expect((await keeper.put(`${path}/URL`, { value: 'new', filter })).body.value).toBe('new')
    expect(
      (await keeper.put(`${path}/URL?filter[environment_scope]=staging&value=newer`, {})).body.value,
    ).toBe('newer')
    expect((await keeper.delete(meant)).status).toBe(204)
    expect((await keeper.get(`${path}/URL`)).body.value).toBe('production')
  })

  test('have one value for a key and its environments', async () => {
    const { keeper, path } = await placeOf(kind)
    await keeper.post(path, { key: 'TWICE', value: 'x' })
    await keeper.post(path, { key: 'TWICE', value: 'x', environment_scope: 'production' })
    const taken = { message: { key: ['has already been taken'] } }
    const again = await keeper.post(path, { key: 'TWICE', value: 'y' })
    expect([again.status, again.body]).toEqual([400, taken])
    const filter = { environment_scope: 'production' }
    const moved = await keeper.put(`${path}/TWICE`, { filter, environment_scope: '*' })
    expect([moved.status, moved.body]).toEqual([400, taken])
    const atOnce = await Promise.all([1, 2].map(() => keeper.post(path, { key: 'AT_ONCE', value: 'x' })))
    expect(atOnce.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
  })

  test.each([
    [{ key: 'A-B', value: 'x' }, { key: ["can contain only letters, digits and '_'."] }],
    [{ key: 'Ä', value: 'x' }, { key: ["can contain only letters, digits and '_'."] }],
    [{ key: 'A', value: 'short', masked: true }, { value: ['is invalid'] }],
    [{ key: 'A', value: 'two words and more', masked: true, raw: true }, { value: ['is invalid'] }],
    [{ key: 'A', value: 'with"a quote', masked: true }, { value: ['is invalid'] }],
    [{ key: 'A', value: 'line\nand another', masked_and_hidden: true }, { value: ['is invalid'] }],
    [
      { key: 'A', value: 'x', environment_scope: 'a?b' },
      {
        environment_scope: [
          "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*', and spaces",
        ],
      },
    ],
  ])('refuse %j', async (given, message) => {
    const { keeper, path } = await placeOf(kind)
    const { status, body } = await keeper.post(path, given)
    expect([status, body]).toEqual([400, { message }])
    expect((await keeper.get(path)).body).toEqual([])
  })

  test('refuse values of more than 10,000 characters, other types and a missing value', async () => {
    const { keeper, path } = await placeOf(kind)
    expect((await keeper.post(path, { key: 'A', value: 'x'.repeat(10_000) })).status).toBe(201)
    for (const given of [{ value: 'x'.repeat(10_001) }, { value: 'x', variable_type: 'secret' }, {}])
      expect((await keeper.post(path, { key: 'B', ...given })).status).toBe(400)
  })

  test('are masked only with a value that logs can mask, also later', async () => {
    const { keeper, path } = await placeOf(kind)
    const made = await keeper.post(path, { key: 'TOKEN', value: 'abc"defghi', masked: true, raw: true })
    expect(made.body).toMatchObject({ masked: true, raw: true })
    const expanded = await keeper.put(`${path}/TOKEN`, { raw: false })
    expect([expanded.status, expanded.body]).toEqual([400, { message: { value: ['is invalid'] } }])
    await keeper.post(path, { key: 'PLAIN', value: 'short' })
    expect((await keeper.put(`${path}/PLAIN`, { masked: true })).body).toEqual({
      message: { value: ['is invalid'] },
    })
    const both = await keeper.put(`${path}/PLAIN`, { masked: true, value: 'long-enough' })
    expect(both.body).toMatchObject({ masked: true, value: 'long-enough' })
  })

  test('that are hidden show their value to nobody, and stay hidden', async () => {
    const { keeper, path } = await placeOf(kind)
    const made = await keeper.post(path, { key: 'KEY', value: 'very-secret', masked_and_hidden: true })
    expect(made.body).toMatchObject({ masked: true, hidden: true, value: null })
    expect((await w.root.get(`${path}/KEY`)).body.value).toBeNull()
    const shown = await keeper.put(`${path}/KEY`, { masked: false })
    expect([shown.status, shown.body]).toEqual([
      400,
      { message: { base: ['The visibility setting cannot be changed for masked and hidden variables.'] } },
    ])
    const changed = await keeper.put(`${path}/KEY`, { value: 'another-secret' })
    expect([changed.status, changed.body.value]).toEqual([200, null])
  })

  test('are in the audit events, without their values', async () => {
    await w.onPlan('premium', async () => {
      const { keeper, owner, path, id } = await placeOf(kind)
      await keeper.post(path, { key: 'AUDITED', value: 'first-value' })
      await keeper.put(`${path}/AUDITED`, { value: 'second-value', protected: true })
      await keeper.delete(`${path}/AUDITED`)
      const { body } = await owner.get(`/${kind}s/${id}/audit_events`)
      const noun = kind === 'project' ? 'ci_variable' : 'ci_group_variable'
      const names = body.map(({ event_name }: { event_name: string }) => event_name)
      expect(names).toEqual(
        expect.arrayContaining([
          `${noun}_created`,
          `${noun}_protected_updated`,
          `${noun}_value_updated`,
          `${noun}_deleted`,
        ]),
      )
      expect(JSON.stringify(body)).not.toMatch(/first-value|second-value/)
    })
  })
})

describe('CI/CD variables of the instance', () => {
  const path = '/admin/ci/variables'

  test('have neither environments nor hidden values', async () => {
    const key = nameOf('all')
    const { status, body } = await w.root.post(path, { key, value: 'for all', description: 'everywhere' })
    const { hidden: _, environment_scope: __, ...common } = asMade
    expect([status, body]).toEqual([201, { ...common, key, value: 'for all', description: 'everywhere' }])
    expect((await w.root.get(`${path}/${key}`)).body).toEqual(body)
    expect((await w.root.get(`${path}?per_page=100`)).body).toContainEqual(body)
    expect((await w.root.put(`${path}/${key}`, { value: 'changed' })).body.value).toBe('changed')
    const taken = await w.root.post(path, { key, value: 'again' })
    expect([taken.status, taken.body]).toEqual([400, { message: { key: ['has already been taken'] } }])
    expect((await w.root.delete(`${path}/${key}`)).status).toBe(204)
    expect((await w.root.get(`${path}/${key}`)).body).toEqual({ message: '404 Variable Not Found' })
  })
})

test('values are stored sealed, and sealed again by a rotation of keys', async () => {
  const { keeper, path } = await placeOf('project')
  await keeper.post(path, { key: 'SEALED', value: 'nobody reads this' })
  const stored = () =>
    w.db.selectFrom('ci_variables').select('value').where('key', '=', 'SEALED').executeTakeFirstOrThrow()
  const before = await stored()
  expect(before.value.includes('nobody reads this')).toBe(false)
  await rotateKeys(w.running.services)
  expect((await stored()).value.equals(before.value)).toBe(false)
  expect((await keeper.get(`${path}/SEALED`)).body.value).toBe('nobody reads this')
})

test('a project has at most 8,000 variables', async () => {
  const { keeper, path, id } = await placeOf('project')
  await keeper.post(path, { key: 'FIRST', value: 'x' })
  await sql`
    insert into ci_variables (namespace_id, key, value, variable_type, environment_scope, protected, masked, hidden, raw,
      created_at, updated_at)
    select v.namespace_id, 'V' || n, v.value, 'env_var', '*', false, false, false, false, v.created_at, v.created_at
    from ci_variables v join projects p on p.project_namespace_id = v.namespace_id, generate_series(1, 7999) as n
    where p.id = ${id}`.execute(w.db)
  const { status, body } = await keeper.post(path, { key: 'ONE_MORE', value: 'x' })
  expect([status, body]).toEqual([
    400,
    { message: { base: ['Maximum number of project CI/CD variables (8000) exceeded'] } },
  ])
})
