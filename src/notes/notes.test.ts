import { describe, expect, test } from 'vitest'
import type { Answer } from '../../test/client.ts'
import { type Place, w } from '../../test/world.ts'

const ids = (answer: Answer): number[] => answer.body.map(({ id }: { id: number }) => id)
const bodies = (answer: Answer): string[] => answer.body.map(({ body }: { body: string }) => body)

/** A project with an open issue, and where its notes are. */
async function withIssue(options: Parameters<typeof w.project>[0] = {}, issue: object = {}) {
  const p = await w.project(options)
  const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'It breaks', ...issue })
  return { ...p, issue: body, path: `/projects/${p.id}/issues/${body.iid}/notes` }
}

/** How many comments an issue says it has, to somebody. */
const countFor = async (actor: Place['guest'] | Place['anonymous'], path: string): Promise<number> =>
  (await actor.get(path.replace(/\/notes$/, ''))).body.user_notes_count

describe('POST /projects/:id/issues/:issue_iid/notes', () => {
  test('writes a note with every field of the resource', async () => {
    const p = await withIssue()
    const { status, body } = await p.guest.post(p.path, { body: 'Me *too*' })
    expect(status).toBe(201)
    const { body: user } = await p.guest.get('/user')
    expect(body).toEqual({
      id: expect.any(Number),
      type: null,
      body: 'Me *too*',
      attachment: null,
      author: {
        id: p.guest.id,
        username: p.guest.username,
        name: p.guest.username,
        email: user.email,
        public_email: null,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${w.url}/${p.guest.username}`,
        created_at: user.created_at,
      },
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
      system: false,
      noteable_id: p.issue.id,
      noteable_type: 'Issue',
      noteable_iid: p.issue.iid,
      project_id: p.id,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      imported_from: 'none',
      commands_changes: {},
    })
    expect((await p.guest.get(`${p.path}/${body.id}`)).body).toEqual(body)
  })

  test('list and one in three statements each', async () => {
    const p = await withIssue()
    await p.guest.post(p.path, { body: 'x' })
    const list = await w.statements(() => p.developer.get(p.path))
    console.log(list)
    expect(list).toHaveLength(3)
    const made = await w.statements(() => p.developer.post(p.path, { body: 'x' }))
    console.log(made)
    expect(ids(await p.guest.get(p.path))).toHaveLength(2)
    expect(bodies(await p.guest.get(p.path))).toHaveLength(2)
    expect(await countFor(p.guest, p.path)).toBe(2)
  })
})
