import { describe, expect, test } from 'vitest'
import { comment, openIssue, twoProjects } from '#planning/issues/move/test-support.ts'
import { type Actor, unique, w } from '#test/world.ts'

const say = async (by: Actor, { path }: { path: string }, body: string) => {
  const { status, body: answer } = await by.post(`${path}/notes`, { body })
  return status === 202 ? answer : { status, message: answer.message }
}
const refused = (...why: string[]) => ({ status: 400, message: `400 Bad request - ${why.join(' ')}` })
const linksOf = async (by: Actor, { path }: { path: string }) =>
  (await by.get(`${path}/links`)).body.map((one: { id: number; link_type: string }) => [
    one.id,
    one.link_type,
  ])
const systemNotes = async (by: Actor, { path }: { path: string }) =>
  (await by.get(`${path}/notes?activity_filter=only_activity`)).body.map(({ body }: { body: string }) => body)

describe('/relate, /blocks and /blocked_by', () => {
  test('link issues, also of other projects, and say so on both', async () => {
    const { from, to, mover } = await twoProjects()
    const [one, two, three] = [
      await openIssue(mover, from.id),
      await openIssue(mover, from.id),
      await openIssue(mover, to.id),
    ]
    expect(await say(mover, one, `/relate #2 ${to.fullPath}#1`)).toEqual({
      commands_changes: {
        issue_links: [
          { issue_id: two.id, link_type: 'relates_to' },
          { issue_id: three.id, link_type: 'relates_to' },
        ],
      },
      summary: [`Marked this issue as related to #2 and ${to.fullPath}#1.`],
    })
    expect(await linksOf(mover, one)).toEqual([
      [two.id, 'relates_to'],
      [three.id, 'relates_to'],
    ])
    expect(await systemNotes(mover, three)).toContain(`marked this issue as related to ${from.fullPath}#1`)
    const four = await openIssue(mover, from.id)
    await say(mover, four, '/blocks #1\n/blocked_by #2')
    expect(await linksOf(mover, four)).toEqual([
      [one.id, 'blocks'],
      [two.id, 'is_blocked_by'],
    ])
  })

  test('refuse the issue itself, what is linked, what nobody sees, and where one is no member', async () => {
    const { from, mover } = await twoProjects()
    const other = await w.project({ visibility: 'public' })
    const one = await openIssue(mover, from.id)
    await openIssue(mover, from.id)
    await openIssue(other.owner, other.id)
    expect(await say(mover, one, '/relate')).toEqual(refused('/relate needs an issue.'))
    expect(await say(mover, one, '/relate #1')).toEqual(refused('An issue cannot be related to itself.'))
    expect(await say(mover, one, '/relate #2 #99')).toEqual(refused('There is no issue #99 here.'))
    expect(await say(mover, one, `/relate ${other.fullPath}#1`)).toEqual(
      refused(`You may not link ${other.fullPath}#1.`),
    )
    expect((await say(mover, one, '/relate #2\n/blocks #2')).summary).toEqual([
      'Marked this issue as related to #2.',
      '#2 is linked with this issue already.',
    ])
    expect(await say(mover, one, '/blocks #2')).toEqual(refused('#2 is linked with this issue already.'))
    const many = Array.from({ length: 11 }, (_, index) => `#${index + 1}`).join(' ')
    expect(await say(mover, one, `/relate ${many}`)).toEqual(
      refused('All commands of a note name at most 10 epics, issues and projects.'),
    )
    const secret = await openIssue(from.owner, from.id, { confidential: true })
    expect(await say(from.guest, one, `/relate #${secret.iid}`)).toEqual(
      refused(`There is no issue #${secret.iid} here.`),
    )
  })
})

describe('/duplicate', () => {
  test('closes the issue, links both and says so on both', async () => {
    const { from, mover } = await twoProjects()
    const [original, copy] = [await openIssue(mover, from.id), await openIssue(mover, from.id)]
    expect(await say(mover, copy, '/duplicate #1')).toEqual({
      commands_changes: { state_event: 'close', canonical_issue_id: original.id },
      summary: ['Closed this issue as a duplicate of #1.'],
    })
    expect((await mover.get(copy.path)).body.state).toBe('closed')
    expect(await linksOf(mover, copy)).toEqual([[original.id, 'relates_to']])
    expect(await systemNotes(mover, copy)).toContain('marked this issue as a duplicate of #1')
    expect(await systemNotes(mover, original)).toContain('marked #2 as a duplicate of this issue')
    expect(await say(mover, copy, '/duplicate #2')).toEqual(refused('An issue cannot be related to itself.'))
    expect(await say(mover, copy, '/duplicate #1 #3')).toEqual(refused('/duplicate needs an issue.'))
    expect(await say(from.guest, copy, '/duplicate #1')).toEqual(refused('You may not use /duplicate here.'))
  })
})

describe('/move and /clone', () => {
  test('/move takes the issue along, with what other commands changed', async () => {
    const { from, to, mover } = await twoProjects()
    const one = await openIssue(mover, from.id)
    const [was, will] = [unique('was'), unique('will')]
    await comment(one.id, mover, { body: was })
    const answer = await mover.post(`${one.path}/notes`, {
      body: `Off it goes.\n/move ${to.fullPath}\n/title ${will}`,
    })
    expect(answer.body).toMatchObject({
      commands_changes: { title: will, target_project_id: to.id },
      summary: [`Moved this issue to ${to.fullPath}.`, `Changed the title to “${will}”.`],
    })
    const moved = `/projects/${to.id}/issues/1`
    expect((await mover.get(moved)).body).toMatchObject({ title: will, state: 'opened' })
    const notes = (await mover.get(`${moved}/notes?activity_filter=only_comments`)).body
    expect(notes.map(({ body }: { body: string }) => body)).toEqual([was])
    expect((await mover.get(one.path)).body).toMatchObject({ state: 'closed', title: will })
    expect(await say(mover, one, `/move ${to.fullPath}`)).toEqual(refused('This issue was moved before.'))
  })

  test('/clone leaves it where it is, with comments if asked, in this project without a name', async () => {
    const { from, to, mover } = await twoProjects()
    const one = await openIssue(mover, from.id)
    await comment(one.id, mover, { body: 'kept' })
    expect((await say(mover, one, '/clone')).summary).toEqual([`Cloned this issue into ${from.fullPath}.`])
    const bare = `/projects/${from.id}/issues/2`
    expect((await mover.get(bare)).body.title).toBe(one.title)
    expect((await mover.get(bare)).body.user_notes_count).toBe(0)
    expect(await say(mover, one, `/clone ${to.fullPath} --with_notes`)).toEqual({
      commands_changes: { target_clone_project_id: to.id, clone_with_notes: true },
      summary: [`Cloned this issue into ${to.fullPath}.`],
    })
    expect((await mover.get(`/projects/${to.id}/issues/1`)).body.user_notes_count).toBe(1)
  })

  test('refuse projects that are not there, not seen, not theirs or the same', async () => {
    const { from, mover } = await twoProjects()
    const [hidden, foreign] = [await w.project(), await w.project({ visibility: 'public' })]
    const one = await openIssue(mover, from.id)
    expect(await say(mover, one, '/move')).toEqual(refused('/move needs the path of a project.'))
    expect(await say(mover, one, `/move ${hidden.fullPath}`)).toEqual(
      refused(`There is no project ${hidden.fullPath}.`),
    )
    for (const command of ['/move', '/clone'])
      expect(await say(mover, one, `${command} ${foreign.fullPath}`)).toEqual(
        refused(`You may not bring issues to ${foreign.fullPath}.`),
      )
    expect(await say(mover, one, `/move ${from.fullPath}`)).toEqual(
      refused('This issue is in that project already.'),
    )
    expect(await say(from.guest, one, `/clone`)).toEqual(refused('You may not use /clone here.'))
  })
})

describe('/assign with a group', () => {
  test('assigns its direct members who may read the project', async () => {
    const p = await w.project()
    const group = await w.group({ visibility: 'public' })
    await w.member(group.id, p.guest, 10)
    await w.member(group.id, p.reporter, 10)
    const one = await openIssue(p.planner, p.id)
    const { summary } = await say(p.planner, one, `/assign @${group.fullPath} @${p.guest.username}`)
    expect(summary).toEqual([`Assigned @${p.guest.username} and @${p.reporter.username}.`])
    const empty = await w.group({ visibility: 'public' })
    expect(await say(p.planner, one, `/assign @${empty.fullPath}`)).toEqual(
      refused(`There is no @${empty.fullPath} who may read this project.`),
    )
    const hidden = await w.group()
    await w.member(hidden.id, p.guest, 10)
    expect(await say(p.reporter, one, `/reassign @${hidden.fullPath}`)).toEqual(
      refused(`There is no @${hidden.fullPath} who may read this project.`),
    )
  })
})
