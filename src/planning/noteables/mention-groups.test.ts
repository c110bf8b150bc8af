import { expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { quiet } from '#test/job-worker.ts'
import { unique, w } from '#test/world.ts'
import { mentionGroups } from './mention-groups.ts'

const participants = async (path: string): Promise<number[]> =>
  (await w.root.get(`${path}/participants?per_page=100`)).body.map(({ id }: { id: number }) => id)

async function opened() {
  const group = await w.group({ visibility: 'public' })
  const project = await w.project({ visibility: 'public' })
  await w.root.post(`/projects/${project.id}/issues`, { title: 'x' })
  return { group, project, path: `/projects/${project.id}/issues/1` }
}

test('the direct members of a mentioned group take part a moment later', async () => {
  const { group, path } = await opened()
  await w.root.post(`${path}/notes`, { body: `@${group.fullPath}, what do you think?` })
  await expect
    .poll(() => participants(path))
    .toEqual(expect.arrayContaining([group.guest.id, group.owner.id]))
  expect(await participants(path)).not.toContain(group.stranger.id)
})

test('those who may not read the issue do not', async () => {
  const { group, project, path } = await opened()
  await w.root.put(`/projects/${project.id}`, { issues_access_level: 'private', visibility: 'private' })
  await w.member(project.namespaceId, group.guest, 10)
  await w.root.post(`${path}/notes`, { body: `@${group.fullPath}` })
  await expect.poll(() => participants(path)).toContain(group.guest.id)
  expect(await participants(path)).not.toContain(group.owner.id)
})

test('a group of thousands costs the request nothing', async () => {
  const { group, path } = await opened()
  await w.running.services.pool.query(
    `with made as (
      insert into users (username, name, email, created_at, updated_at)
      select $1 || n, 'x', $1 || n || '@example.com', now(), now() from generate_series(1, 2500) n returning id
    )
    insert into members (namespace_id, user_id, access_level, created_at, updated_at)
    select $2, id, 10, now(), now() from made`,
    [unique('many'), group.id],
  )
  const sent = await w.sent(() => w.root.post(`${path}/notes`, { body: `@${group.fullPath}` }))
  expect(sent.filter(({ sql }) => sql.includes('into user_mentions'))).toEqual([])
  const named = async () => {
    const { count } = await w.db
      .selectFrom('user_mentions as m')
      .innerJoin('members as g', 'g.user_id', 'm.user_id')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('g.namespace_id', '=', group.id)
      .executeTakeFirstOrThrow()
    return count
  }
  await expect.poll(named).toBe(2_507)
})

test('a job that comes after the text was changed names nobody', async () => {
  const { group, path } = await opened()
  const { body: note } = await w.root.post(`${path}/notes`, { body: 'nobody' })
  const services = { ...w.running.services, log: quiet }
  const payload = { issue_id: note.noteable_id, note_id: note.id, group_ids: [group.id] }
  await mentionGroups.execute(
    payload,
    jobContext(services, { attempt: 1, signal: new AbortController().signal }),
  )
  expect(await participants(path)).not.toContain(group.guest.id)
})
