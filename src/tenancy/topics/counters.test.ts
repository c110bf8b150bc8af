import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { lockWaiters } from '#test/lock-waiters.ts'
import { unique, w } from '#test/world.ts'

/** The counters as they are kept, and as the projects of the topic say they should be. */
async function counters(topicId: number) {
  const kept = sql<Record<string, number>>`
    select public_projects as public, internal_projects as internal, private_projects as private
    from topics where id = ${topicId}`.execute(w.db)
  const real = sql<Record<string, number>>`
    select count(*) filter (where visibility = 'public') as public,
      count(*) filter (where visibility = 'internal') as internal,
      count(*) filter (where visibility = 'private') as private
    from project_topics pt join projects p on p.id = pt.project_id
      join namespaces n on n.id = p.project_namespace_id
    where pt.topic_id = ${topicId} and n.deleted_at is null`.execute(w.db)
  expect((await kept).rows).toEqual((await real).rows)
  return (await kept).rows[0]
}

async function topic() {
  const name = unique('counted')
  const { body } = await w.root.post('/topics', { name, title: 'x' })
  return { id: Number(body.id), name }
}

async function project(given: object): Promise<number> {
  const { status, body } = await w.root.post('/projects', { name: unique('p'), ...given })
  expect(status).toBe(201)
  return body.id
}

const none = { public: 0, internal: 0, private: 0 }

describe('the counters of a topic follow', () => {
  test('the visibility of a project', async () => {
    const { id, name } = await topic()
    const made = await project({ topics: [name], visibility: 'public' })
    expect(await counters(id)).toEqual({ ...none, public: 1 })
    for (const visibility of ['internal', 'private', 'public']) {
      expect((await w.root.put(`/projects/${made}`, { visibility })).status).toBe(200)
      expect(await counters(id)).toEqual({ ...none, [visibility]: 1 })
    }
    await w.root.put(`/projects/${made}`, { visibility: 'private', topics: [] })
    expect(await counters(id)).toEqual(none)
    await w.root.put(`/projects/${made}`, { visibility: 'internal', topics: [name] })
    expect(await counters(id)).toEqual({ ...none, internal: 1 })
  })

  test('a transfer that makes projects less visible', async () => {
    const { id, name } = await topic()
    const [from, to] = [await w.group({ visibility: 'public' }), await w.group({ visibility: 'private' })]
    await project({ topics: [name], namespace_id: from.id, visibility: 'public' })
    const moved = await project({ topics: [name], namespace_id: from.id, visibility: 'public' })
    expect((await w.root.put(`/projects/${moved}/transfer`, { namespace: to.id })).status).toBe(200)
    expect(await counters(id)).toEqual({ ...none, public: 1, private: 1 })
    expect((await w.root.post(`/groups/${from.id}/transfer`, { group_id: to.id })).status).toBe(201)
    expect(await counters(id)).toEqual({ ...none, private: 2 })
  })

  test('the deletion of a project, of a group and of a user, at once and when their rows are gone', async () => {
    const { id, name } = await topic()
    const group = await w.group()
    const user = await w.user()
    const gone = await project({ topics: [name] })
    await project({ topics: [name], namespace_id: group.id })
    await user.post('/projects', { name: unique('p'), topics: [name] })
    const stays = await project({ topics: [name] })
    expect(await counters(id)).toEqual({ ...none, private: 4 })
    expect((await w.root.delete(`/projects/${gone}`)).status).toBe(202)
    expect((await w.root.delete(`/groups/${group.id}`)).status).toBe(202)
    expect((await w.root.delete(`/users/${user.id}?hard_delete=true`)).status).toBe(204)
    expect(await counters(id)).toEqual({ ...none, private: 1 })
    const rows = () =>
      w.db.selectFrom('project_topics').select('project_id').where('topic_id', '=', id).execute()
    await expect.poll(rows).toEqual([{ project_id: stays }])
    expect(await counters(id)).toEqual({ ...none, private: 1 })
  })

  test('fifty projects that get it at once, and lose it again', async () => {
    const { id, name } = await topic()
    const other = await topic()
    const projects = await Promise.all(Array.from({ length: 50 }, () => project({})))
    const put = (topics: string[]) =>
      Promise.all(projects.map((one) => w.root.put(`/projects/${one}`, { topics })))
    const first = await put([name, other.name])
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await counters(id)).toEqual({ ...none, private: 50 })
    await put([other.name])
    expect([await counters(id), await counters(other.id)]).toEqual([none, { ...none, private: 50 }])
  })

  test('projects that bring the same new topics at once, in any order', async () => {
    const names = Array.from({ length: 5 }, () => unique('fresh'))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        w.root.post('/projects', {
          name: unique('p'),
          topics: n % 2 === 0 ? names : names.toReversed().map((name) => name.toUpperCase()),
        }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    for (const name of names) {
      const { body } = await w.root.get(`/topics?search=${name}`)
      expect(body).toMatchObject([{ total_projects_count: 20 }])
      await counters(body[0].id)
    }
  })
})

describe('POST /topics/merge', () => {
  const merge = (source: unknown, target: unknown) =>
    w.root.post('/topics/merge', { source_topic_id: source, target_topic_id: target })

  test('gives the projects of the source to the target, each once, and deletes the source', async () => {
    const [source, target] = [await topic(), await topic()]
    const both = await project({ topics: [source.name, target.name], visibility: 'public' })
    const one = await project({ topics: [source.name] })
    const { status, body } = await merge(source.id, target.id)
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ id: target.id, name: target.name, total_projects_count: 2 }),
    ])
    expect((await w.root.get(`/topics/${source.id}`)).status).toBe(404)
    for (const id of [both, one]) {
      expect((await w.root.get(`/projects/${id}`)).body.topics).toEqual([target.name])
    }
    expect(await counters(target.id)).toEqual({ ...none, public: 1, private: 1 })
  })

  test('refuses one topic twice', async () => {
    const { id } = await topic()
    const { status, body } = await merge(id, id)
    expect([status, body.message]).toEqual([400, 'The source topic and the target topic are identical.'])
    expect((await w.root.get(`/topics/${id}`)).status).toBe(200)
  })

  test('refuses topics of two organizations', async () => {
    const [source, target] = [await topic(), await topic()]
    const organization_id = 4712
    await w.db
      .insertInto('organizations')
      .values({ id: organization_id, name: 'Other', path: unique('other') })
      .execute()
    await w.db.updateTable('topics').set({ organization_id }).where('id', '=', source.id).execute()
    const { status, body } = await merge(source.id, target.id)
    expect([status, body.message]).toMatchObject([400, expect.stringContaining('same organization.')])
    expect((await w.root.get(`/topics/${source.id}`)).body.organization_id).toBe(organization_id)
  })

  test('refuses topics that are not there, and what is no id', async () => {
    const { id } = await topic()
    for (const [source, target] of [
      [id, 99999999],
      [99999999, id],
    ]) {
      expect((await merge(source, target)).status).toBe(404)
    }
    expect((await merge('x', id)).body.error).toBe('source_topic_id is invalid')
    expect((await w.root.post('/topics/merge', {})).body.error).toBe(
      'source_topic_id is missing, target_topic_id is missing',
    )
    expect((await w.root.get(`/topics/${id}`)).status).toBe(200)
  })

  test('merges there and back at once leave one topic with all projects', async () => {
    const [a, b] = [await topic(), await topic()]
    for (const { name } of [a, b, a]) await project({ topics: [name] })
    const answers = await Promise.all([merge(a.id, b.id), merge(b.id, a.id), merge(a.id, b.id)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 404, 404])
    const left = [await w.root.get(`/topics/${a.id}`), await w.root.get(`/topics/${b.id}`)]
    const [only] = left.filter(({ status }) => status === 200)
    expect(left.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    expect(only?.body.total_projects_count).toBe(3)
    expect(await counters(only?.body.id)).toEqual({ ...none, private: 3 })
  })

  test('waits for a project that is just being removed, and goes on without it', async () => {
    const [source, target] = [await topic(), await topic()]
    const going = await project({ topics: [source.name] })
    const staying = await project({ topics: [source.name] })
    const merged = await w.db.transaction().execute(async (db) => {
      // As the job does that removes what was deleted.
      await db.deleteFrom('projects').where('id', '=', going).execute()
      const answer = merge(source.id, target.id)
      await lockWaiters(1)
      return { answer }
    })
    const { status, body } = await merged.answer
    expect([status, body.total_projects_count]).toEqual([201, 1])
    expect((await w.root.get(`/projects/${staying}`)).body.topics).toEqual([target.name])
    await counters(target.id)
  })

  test('and assignments, edits and deletions at the same time lose no project', async () => {
    const [source, target] = [await topic(), await topic()]
    const projects = await Promise.all(
      Array.from({ length: 12 }, (_, n) => project({ topics: [n % 2 ? source.name : target.name] })),
    )
    const answers = await Promise.all([
      ...projects.slice(0, 4).map((id) => w.root.put(`/projects/${id}`, { visibility: 'public' })),
      ...projects
        .slice(4, 8)
        .map((id) => w.root.put(`/projects/${id}`, { topics: [source.name, target.name] })),
      merge(source.id, target.id),
      ...projects.slice(8).map((id) => w.root.delete(`/projects/${id}`)),
    ])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201, 202]))
    expect(await counters(target.id)).toMatchObject({ public: 4 })
    const { body } = await w.root.get(`/projects?topic=${target.name}`)
    expect(body).toHaveLength(8)
    // Whoever came after the merge brought a new topic of the source's name.
    const { body: again } = await w.root.get(`/topics?search=${source.name}`)
    for (const { id } of again) await counters(id)
  })
})
