import { describe, expect, test } from 'vitest'
import { lockWaiters } from '#test/lock-waiters.ts'
import { type Actor, unique, w } from '#test/world.ts'

/** A group in which `owner` owns everything, with a label and a milestone of each name. */
async function groupWith(owner: Actor, names: readonly string[], parent?: number): Promise<number> {
  const given = { name: unique('Group'), path: unique('group'), ...(parent ? { parent_id: parent } : {}) }
  const { body: group } = await owner.post('/groups', given)
  for (const name of names) {
    await owner.post(`/groups/${group.id}/labels`, { name, color: 'red', description: `of ${group.path}` })
    const { status } = await owner.post(`/groups/${group.id}/milestones`, {
      title: name,
      due_date: '2026-05-01',
    })
    expect(status).toBe(201)
  }
  return group.id
}

async function projectIn(owner: Actor, group: number): Promise<number> {
  return (await owner.post('/projects', { name: unique('p'), namespace_id: group })).body.id
}

/** An issue that has the labels of these names, and the milestone that is called as the first. */
async function openIssue(owner: Actor, project: number, names: readonly string[]): Promise<void> {
  const { body: usable } = await owner.get(
    `/projects/${project}/milestones?include_ancestors=true&title=${names[0] ?? ''}`,
  )
  const given = { title: 'x', labels: names.join(','), milestone_id: usable[0].id }
  expect((await owner.post(`/projects/${project}/issues`, given)).status).toBe(201)
}

/** What the issues of a project have, each with the namespace that it is of; and whether anything is of elsewhere. */
async function homesOf(project: number) {
  const { rows } = await w.running.services.pool.query<{ name: string; kind: string; strange: boolean }>(`
    select x.kind || ' ' || x.name as name, h.kind, h.id <> all (n.traversal_ids) as strange
    from projects p join namespaces n on n.id = p.project_namespace_id
      join (
        select i.project_id, i.id as issue_id, 'label' as kind, l.name, l.namespace_id
          from issues i join issue_labels c on c.issue_id = i.id join labels l on l.id = c.label_id
        union all select i.project_id, i.id, 'milestone', s.title, s.namespace_id
          from issues i join milestones s on s.id = i.milestone_id
        union all select i.project_id, i.id, 'event', coalesce(l.name, s.title), coalesce(l.namespace_id, s.namespace_id)
          from issues i join resource_events e on e.noteable_id = i.id
            left join labels l on l.id = e.label_id left join milestones s on s.id = e.milestone_id
        union all select p.project_id, 0, 'priority', l.name, l.namespace_id
          from label_priorities p join labels l on l.id = p.label_id
      ) x on x.project_id = p.id
      join namespaces h on h.id = x.namespace_id
    where p.id = ${project} order by x.issue_id, x.kind, x.name`)
  expect(rows.filter(({ strange }) => strange)).toEqual([])
  return rows.map(({ name, kind }) => `${name} of ${kind}`)
}

describe('a transfer of a project', () => {
  test('gives its issues what is called the same at the new place, else copies, and takes its own along', async () => {
    const owner = await w.user()
    const before = await groupWith(owner, ['both', 'gone', 'gone2', 'unused'])
    const after = await groupWith(owner, ['both'])
    const project = await projectIn(owner, before)
    await owner.post(`/projects/${project}/labels`, { name: 'own', color: 'blue' })
    await owner.post(`/projects/${project}/milestones`, { title: 'own' })
    await owner.put(`/projects/${project}/labels/own`, { priority: 1 })
    for (const names of [['both', 'own'], ['gone', 'both'], ['gone', 'own'], ['gone2'], ['own']]) {
      await openIssue(owner, project, names)
    }
    await w.db
      .insertInto('label_priorities')
      .expression((of) =>
        of
          .selectFrom('labels')
          .select((eb) => [eb.val(project).as('project_id'), 'id as label_id', eb.val(5).as('priority')])
          .where('namespace_id', '=', before)
          .where('name', '=', 'gone'),
      )
      .execute()
    expect((await owner.put(`/projects/${project}/transfer`, { namespace: after })).status).toBe(200)
    expect(await homesOf(project)).toEqual([
      'priority gone of project',
      'priority own of project',
      'event both of group',
      'event both of group',
      'event own of project',
      'label both of group',
      'label own of project',
      'milestone both of group',
      'event both of group',
      'event gone of project',
      'event gone of project',
      'label both of group',
      'label gone of project',
      'milestone gone of project',
      'event gone of project',
      'event gone of project',
      'event own of project',
      'label gone of project',
      'label own of project',
      'milestone gone of project',
      'event gone2 of project',
      'event gone2 of project',
      'label gone2 of project',
      'milestone gone2 of project',
      'event own of project',
      'event own of project',
      'label own of project',
      'milestone own of project',
    ])
    const { body: milestones } = await owner.get(`/projects/${project}/milestones`)
    expect(milestones).toMatchObject([
      { title: 'gone2', iid: 3 },
      { title: 'gone', iid: 2, due_date: '2026-05-01' },
      { title: 'own', iid: 1, due_date: null },
    ])
    expect((await owner.post(`/projects/${project}/milestones`, { title: 'next' })).body.iid).toBe(4)
    // What was copied stays in the group.
    expect((await owner.get(`/groups/${before}/labels`)).body).toHaveLength(4)
    expect((await owner.get(`/projects/${project}/labels/gone`)).body.description).toMatch(/^of group/)
  })

  test('leaves what stays above alone, and one label where two of a name would be', async () => {
    const owner = await w.user()
    const top = await groupWith(owner, ['top'])
    const before = await groupWith(owner, ['x'], top)
    const after = await groupWith(owner, [], top)
    const project = await projectIn(owner, before)
    await openIssue(owner, project, ['top', 'x'])
    // Made in the project later, by hand: a name is used once, so this one has the name of a group's after a move only.
    const { namespace_id } = await w.db
      .selectFrom('projects')
      .select('project_namespace_id as namespace_id')
      .where('id', '=', project)
      .executeTakeFirstOrThrow()
    const now = new Date().toISOString()
    const { id: label_id } = await w.db
      .insertInto('labels')
      .values({ namespace_id, name: 'x', color: '#ff0000', created_at: now, updated_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { id: issue_id } = await w.db
      .selectFrom('issues')
      .select('id')
      .where('project_id', '=', project)
      .executeTakeFirstOrThrow()
    await w.db.insertInto('issue_labels').values({ issue_id, label_id }).execute()
    expect((await owner.put(`/projects/${project}/transfer`, { namespace: after })).status).toBe(200)
    expect((await homesOf(project)).filter((row) => !row.startsWith('event'))).toEqual([
      'label top of group',
      'label x of project',
      'milestone top of group',
    ])
  })

  test('into a personal namespace copies everything that is in use', async () => {
    const owner = await w.user()
    const project = await projectIn(owner, await groupWith(owner, ['a', 'unused']))
    await openIssue(owner, project, ['a'])
    expect((await owner.put(`/projects/${project}/transfer`, { namespace: owner.username })).status).toBe(200)
    expect((await owner.get(`/projects/${project}/labels`)).body).toMatchObject([{ name: 'a' }])
    expect(await homesOf(project)).toHaveLength(4)
  })
})

describe('a label renamed while a project moves', () => {
  test('stays on the issues, under its name before or after', async () => {
    const owner = await w.user()
    const before = await groupWith(owner, ['early'])
    const after = await groupWith(owner, [])
    const project = await projectIn(owner, before)
    await openIssue(owner, project, ['early'])
    const { namespace_id } = await w.db
      .selectFrom('projects')
      .select('project_namespace_id as namespace_id')
      .where('id', '=', project)
      .executeTakeFirstOrThrow()
    const color = '#ff0000'
    const now = new Date().toISOString()
    const held = await w.db.startTransaction().execute()
    // Whoever copies the label into the project waits for this one.
    const twin = { namespace_id, name: 'early', color, created_at: now, updated_at: now }
    await held.insertInto('labels').values(twin).execute()
    const transfer = owner.put(`/projects/${project}/transfer`, { namespace: after })
    await lockWaiters(1)
    const rename = owner.put(`/groups/${before}/labels/early`, { new_name: 'late' })
    await Promise.race([rename, lockWaiters(2)])
    await held.rollback().execute()
    expect([(await transfer).status, (await rename).status]).toEqual([200, 200])
    const labels = (await homesOf(project)).filter((row) => row.startsWith('label'))
    expect(labels).toEqual([expect.stringMatching(/^label (early|late) of project$/)])
  })
})

describe('a label given while a project moves', () => {
  test('is one that the project has there', async () => {
    const owner = await w.user()
    for (let round = 0; round < 5; round += 1) {
      const before = await groupWith(owner, ['early'])
      const after = await groupWith(owner, [])
      const project = await projectIn(owner, before)
      await owner.post(`/projects/${project}/issues`, { title: 'x' })
      const answers = await Promise.all([
        owner.put(`/projects/${project}/transfer`, { namespace: after }),
        owner.put(`/projects/${project}/issues/1`, { labels: 'early' }),
        owner.put(`/projects/${project}/issues/1`, { add_labels: 'early' }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const labels = (await homesOf(project)).filter((row) => row.startsWith('label'))
      expect(labels).toEqual(['label early of project'])
    }
  })
})

describe('a transfer of a group', () => {
  test('does the same for all projects below, and keeps what is the group’s own', async () => {
    const owner = await w.user()
    const before = await groupWith(owner, ['both', 'gone'])
    const after = await groupWith(owner, ['both'])
    const group = await groupWith(owner, ['own'], before)
    const inner = await groupWith(owner, [], group)
    const projects = [await projectIn(owner, group), await projectIn(owner, inner)]
    for (const project of projects) {
      await openIssue(owner, project, ['gone', 'own'])
      await openIssue(owner, project, ['both'])
      await openIssue(owner, project, ['own'])
    }
    const beside = await projectIn(owner, before)
    await openIssue(owner, beside, ['gone'])
    expect((await owner.post(`/groups/${group}/transfer`, { group_id: after })).status).toBe(201)
    for (const project of projects) {
      expect((await homesOf(project)).filter((row) => !row.startsWith('event'))).toEqual([
        'label gone of project',
        'label own of group',
        'milestone gone of project',
        'label both of group',
        'milestone both of group',
        'label own of group',
        'milestone own of group',
      ])
    }
    expect((await homesOf(beside)).at(-1)).toBe('milestone gone of group')
    expect((await owner.post(`/groups/${group}/transfer`)).status).toBe(201)
    expect((await homesOf(projects[1] ?? 0)).includes('milestone both of project')).toBe(true)
  })
})
