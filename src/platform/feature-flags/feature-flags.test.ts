import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

const off = { key: 'boolean', value: false }
const on = { key: 'boolean', value: true }

/** A switch that no other test has; nothing in the program asks for it. */
function aSwitch() {
  const name = unique('switch')
  const path = `/features/${name}`
  const set = async (json: object) => w.root.post(path, { force: true, ...json })
  const gates = async (json: object) => {
    const { status, body } = await set(json)
    return status === 201 ? [body.state, ...body.gates] : [status, body.message]
  }
  return { name, path, set, gates }
}

describe('GET /features', () => {
  test('lists what was set, by name, and nothing else', async () => {
    const { name, set } = aSwitch()
    const { status, body } = await set({ value: true })
    expect([status, body]).toEqual([201, { name, state: 'on', gates: [on], definition: null }])
    const { body: all } = await w.root.get('/features')
    expect(all).toContainEqual(body)
    const names = all.map((one: { name: string }) => one.name)
    expect(names).toEqual(names.toSorted())
    expect(names).not.toContain('generic_alert_fingerprinting')
    expect(await w.statements(() => w.root.get('/features'))).toHaveLength(2)
  })

  test('shows the definition of a switch that the program knows', async () => {
    const { status, body } = await w.root.post('/features/generic_alert_fingerprinting', { value: 'false' })
    const { body: definitions } = await w.root.get('/features/definitions')
    expect([status, body]).toEqual([
      201,
      { name: 'generic_alert_fingerprinting', state: 'off', gates: [off], definition: definitions[1] },
    ])
    expect((await w.root.delete('/features/generic_alert_fingerprinting')).status).toBe(204)
  })
})

describe('GET /features/definitions', () => {
  test('has every switch, set or not', async () => {
    const unsaid = {
      feature_issue_url: null,
      introduced_by_url: null,
      rollout_issue_url: null,
      milestone: null,
      log_state_changes: null,
      group: null,
      intended_to_rollout_by: null,
    }
    expect(await w.root.get('/features/definitions')).toMatchObject({
      status: 200,
      body: [
        { name: 'container_virtual_registries', type: 'beta', default_enabled: false, ...unsaid },
        { name: 'generic_alert_fingerprinting', type: 'development', default_enabled: false, ...unsaid },
        { name: 'packages_protected_packages', type: 'beta', default_enabled: true, ...unsaid },
      ],
    })
  })
})

describe('POST /features/:name', () => {
  test.each([
    [true, 'on', [on]],
    ['true', 'on', [on]],
    [100, 'on', [on]],
    ['100', 'on', [on]],
    [false, 'off', [off]],
    ['false', 'off', [off]],
    [0, 'off', [off]],
    [30, 'conditional', [off, { key: 'percentage_of_time', value: 30 }]],
    ['1', 'conditional', [off, { key: 'percentage_of_time', value: 1 }]],
  ])('takes the value %j', async (value, state, gates) => {
    expect((await aSwitch().set({ value })).body).toMatchObject({ state, gates })
  })

  test('takes forms and query parameters', async () => {
    const { path } = aSwitch()
    const form = new URLSearchParams({ value: 'true', force: '1' })
    expect((await w.root.send('POST', path, { form })).body.state).toBe('on')
    expect((await w.root.post(`${path}?value=25&force=true`)).status).toBe(400)
    expect((await w.root.post(`${path}?value=false&force=true`)).body.state).toBe('off')
  })

  test('keeps gates beside one another until it is set for everybody or nobody', async () => {
    const { gates } = aSwitch()
    const { id, username } = await w.user()
    const actors = { key: 'actors', value: [`User:${id}`] }
    const part = { key: 'percentage_of_actors', value: 20 }
    const time = { key: 'percentage_of_time', value: 50 }
    const groups = { key: 'groups', value: ['perf_team'] }
    expect(await gates({ value: true, feature_group: 'perf_team' })).toEqual(['conditional', off, groups])
    expect(await gates({ value: 50 })).toEqual(['conditional', off, time, groups])
    expect(await gates({ value: 20, key: 'percentage_of_actors' })).toEqual([
      'conditional',
      off,
      part,
      time,
      groups,
    ])
    const all = [off, actors, part, time, groups]
    expect(await gates({ value: true, user: username })).toEqual(['conditional', ...all])
    expect(await gates({ value: true, user: username.toUpperCase() })).toEqual(['conditional', ...all])
    expect(await gates({ value: false, user: username })).toEqual(['conditional', off, part, time, groups])
    expect(await gates({ value: true })).toEqual(['on', on])
    expect(await gates({ value: true, user: username })).toEqual(['on', on, actors])
    expect(await gates({ value: false })).toEqual(['off', off])
    // A percentage of everybody is everybody, whatever it is of.
    expect(await gates({ value: 100, key: 'percentage_of_actors' })).toEqual(['on', on])
    expect(await gates({ value: 10 })).toEqual([400, expect.stringContaining('on for everybody')])
  })

  test('finds users, groups, namespaces, projects and repositories by their paths, several at once', async () => {
    const { gates } = aSwitch()
    const [one, two] = [await w.user(), await w.user()]
    const p = await w.project()
    const group = p.fullPath.slice(0, p.fullPath.lastIndexOf('/'))
    const { body: own } = await w.root.get(`/namespaces/${one.username}`)
    const asked = {
      user: `${one.username}, ${two.username}`,
      group,
      namespace: [one.username, group],
      project: p.fullPath,
      repository: `${p.fullPath}.git`,
    }
    const value = [
      `User:${one.id}`,
      `User:${two.id}`,
      `Project:${p.id}`,
      `Group:${p.groupId}`,
      `Namespaces::UserNamespace:${own.id}`,
      `Repository:project-${p.id}`,
    ]
    expect(await gates({ value: true, ...asked })).toEqual(['conditional', off, { key: 'actors', value }])
    expect(await gates({ value: false, ...asked })).toEqual(['off', off])
  })

  test.each([
    [{ user: 'root,nobody-at-all' }, 'there is no user nobody-at-all'],
    [{ group: 'root' }, 'there is no group root'],
    [{ namespace: 'no/such' }, 'there is no namespace no/such'],
    [{ project: 'root' }, 'there is no project root'],
    [{ repository: 'root' }, 'there is no repository root'],
    [{ repository: 'root/none.git' }, 'there is no repository root/none.git'],
    [{ user: '' }, 'user names nothing'],
    [{ feature_group: ' , ' }, 'feature_group names nothing'],
    [{ runner: '1' }, 'runner: there are no gates for these yet'],
    [{ user: 'root', value: 50 }, 'for some actors a feature is on or off'],
  ])('refuses the actors of %j, and then sets nothing', async (json, sentence) => {
    const { name, set } = aSwitch()
    expect(await set({ value: true, ...json })).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - ${sentence}` },
    })
    const { body: all } = await w.root.get('/features')
    expect(all.map((one: { name: string }) => one.name)).not.toContain(name)
  })

  test('refuses a key beside actors', async () => {
    for (const kind of ['user', 'group', 'namespace', 'project', 'repository', 'feature_group']) {
      const asked = { value: true, key: 'percentage_of_time', [kind]: 'root' }
      const { status, body } = await aSwitch().set(asked)
      expect([status, body.error]).toEqual([400, `key, ${kind} are mutually exclusive`])
    }
  })

  test.each(['maybe', 'opt_out', -1, 101, 1.5, '50.5', [], {}])('refuses the value %j', async (value) => {
    const { status, body } = await aSwitch().set({ value })
    expect([status, Object.keys(body.message)]).toEqual([400, ['value']])
  })

  test('refuses a switch without a value, with another key, and names that no switch has', async () => {
    const { path, set } = aSwitch()
    expect((await set({})).body.error).toBe('value is missing')
    expect((await set({ value: 5, key: 'boolean' })).body.error).toBe('key does not have a valid value')
    const unforced = await w.root.post(path, { value: true })
    expect([unforced.status, unforced.body.message]).toEqual([
      400,
      expect.stringContaining('there is no feature'),
    ])
    expect((await w.root.post(`/features/${'x'.repeat(256)}`, { value: true, force: true })).status).toBe(400)
  })

  test('loses nothing when several administrators set gates of one switch at once', async () => {
    const { set, path } = aSwitch()
    const users = await Promise.all(Array.from({ length: 8 }, () => w.user()))
    const answers = await Promise.all([
      ...users.map(({ username }) => set({ value: true, user: username })),
      set({ value: 40 }),
      set({ value: 60, key: 'percentage_of_actors' }),
      set({ value: true, feature_group: 'administrators' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    const { body } = await w.root.post(path, { value: false, user: 'root', force: true })
    const [, actors, part, time, groups] = body.gates
    expect(actors.value.toSorted()).toEqual(users.map(({ id }) => `User:${id}`).toSorted())
    expect([part.value, time.value, groups.value]).toEqual([60, 40, ['administrators']])
  })

  test('is a fact, and so is its end', async () => {
    const { name, path, set } = aSwitch()
    await set({ value: true, user: 'root' })
    await w.root.delete(path)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'actor_id', 'details'])
      .where(sql`details ->> 'feature'`, '=', name)
      .orderBy('id')
      .execute()
    const setting = { gate: 'some', on: true, actors: ['User:1'], groups: [] }
    expect(facts).toEqual([
      { name: 'feature switch set', actor_id: 1, details: { feature: name, state: 'conditional', setting } },
      { name: 'feature switch deleted', actor_id: 1, details: { feature: name } },
    ])
  })
})

describe('DELETE /features/:name', () => {
  test('is 204 whether the switch was set or not', async () => {
    const { name, path, set } = aSwitch()
    await set({ value: true })
    expect((await w.root.delete(path)).status).toBe(204)
    expect((await w.root.delete(path)).status).toBe(204)
    const { body: all } = await w.root.get('/features')
    expect(all.map((one: { name: string }) => one.name)).not.toContain(name)
  })

  test('leaves what was set since the caller looked', async () => {
    const { path, set } = aSwitch()
    await set({ value: true })
    const stale = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
    expect((await w.root.delete(path, undefined, stale)).status).toBe(412)
  })
})
