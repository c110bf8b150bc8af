import { describe, expect, test } from 'vitest'
import { authorizeProject } from '#platform/access/authorize.ts'
import { issueQuickActions } from '#planning/issues/quick-actions.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { issueActions } from './issue-actions.ts'
import { parseQuickActions } from './parse-quick-actions.ts'

/** Applies the commands of a body to an issue, as a note of this person would. */
const write = (author: Actor, project: { id: number }, iid: number, body: string) =>
  w.write(async (tx) => {
    const today = tx.now.slice(0, 10)
    const viewer = { id: author.id, admin: author === w.root, external: false, today, closed: [] }
    const door = await authorizeProject(tx.db, viewer, String(project.id), 'create_issue_note')
    const { app: server } = w.running
    const caller = { viewer, site: w.url, server, project: () => door, group: () => expect.unreachable() }
    return issueQuickActions.apply(tx, caller, iid, parseQuickActions(body).commands)
  }, author)

const opened = async (fields: object = {}) => {
  const p = await w.project()
  const url = `/projects/${p.id}/issues`
  const made = await p.reporter.post(url, { title: 'It breaks', ...fields })
  const label = async (name: string) =>
    (await p.owner.post(`/projects/${p.id}/labels`, { name, color: 'red' })).body.id as number
  return {
    ...p,
    issueId: made.body.id as number,
    label,
    look: async () => (await p.planner.get(`${url}/1`)).body,
    /** What a planner's commands did. */
    say: (body: string, author = p.planner) => write(author, p, 1, body),
  }
}
type Opened = Awaited<ReturnType<typeof opened>>

const nothing = (...summary: string[]) => ({ changes: {}, summary, applied: false })
const did = (changes: object, ...summary: string[]) => ({ changes, summary, applied: true })

describe('state', () => {
  test('/close closes, /reopen opens again, and each only once', async () => {
    const p = await opened()
    expect(await p.say('/reopen')).toEqual(nothing('This issue is open already.'))
    expect(await p.say('/close')).toEqual(did({ state_event: 'close' }, 'Closed this issue.'))
    expect(await p.look()).toMatchObject({ state: 'closed', closed_by: { id: p.planner.id } })
    expect(await p.say('/close')).toEqual(nothing('This issue is closed already.'))
    expect(await p.say('/reopen')).toEqual(did({ state_event: 'reopen' }, 'Reopened this issue.'))
    expect(await p.look()).toMatchObject({ state: 'opened', closed_by: null })
  })
})

describe('people', () => {
  test('/assign adds them, by name and as me', async () => {
    const p = await opened()
    const { guest, planner, developer } = p
    expect(await p.say(`/assign @${guest.username.toUpperCase()} and me`)).toEqual(
      did({ assignee_ids: [guest.id, planner.id] }, `Assigned @${guest.username} and @${planner.username}.`),
    )
    expect(await p.say(`/assign ${developer.username}, @${guest.username}`)).toMatchObject({
      changes: { assignee_ids: [guest.id, planner.id, developer.id] },
      summary: [`Assigned @${developer.username}.`],
    })
    expect(await p.say('/assign me')).toEqual(did({}, `@${planner.username} is assigned already.`))
    expect((await p.look()).assignees).toHaveLength(3)
  })

  test('/assign assigns nobody when one of them may not read the project, is a group, or nobody at all', async () => {
    const p = await opened()
    const group = await w.group()
    const none = unique('nobody')
    for (const name of [p.stranger.username, group.fullPath, none, 'all', 'a@b']) {
      const { applied, summary } = await p.say(`/assign me @${name}`)
      expect({ applied, summary }).toEqual({
        applied: false,
        summary: [`There is no @${name} who may read this project.`],
      })
    }
    expect(await p.say('/assign')).toEqual(nothing('/assign needs somebody to assign.'))
    expect((await p.look()).assignees).toEqual([])
  })

  test('/unassign takes off those who are named, or everybody', async () => {
    const p = await opened()
    const { guest, developer } = p
    await p.say(`/assign me @${guest.username} @${developer.username}`)
    expect(await p.say(`/unassign @${guest.username} @${p.owner.username}`)).toMatchObject({
      summary: [`Unassigned @${guest.username}.`],
    })
    expect(await p.say(`/unassign @${p.owner.username}`)).toEqual(
      did({}, `@${p.owner.username} is not assigned to this issue.`),
    )
    expect(await p.say('/unassign')).toEqual(
      did({ assignee_ids: [] }, `Unassigned @${p.planner.username} and @${developer.username}.`),
    )
    expect(await p.say('/unassign me')).toEqual(nothing('Nobody is assigned to this issue.'))
  })

  test('/unassign takes off those who may no longer read the project', async () => {
    const p = await opened()
    await p.say(`/assign @${p.guest.username}`)
    await p.owner.delete(`/projects/${p.id}/members/${p.guest.id}`)
    expect(await p.say(`/unassign @${p.guest.username}`)).toEqual(
      did({ assignee_ids: [] }, `Unassigned @${p.guest.username}.`),
    )
  })

  test('/reassign replaces them', async () => {
    const p = await opened()
    await p.say('/assign me')
    expect(await p.say(`/reassign @${p.guest.username}`)).toEqual(
      did({ assignee_ids: [p.guest.id] }, `Reassigned this issue to @${p.guest.username}.`),
    )
    expect(await p.say('/reassign')).toMatchObject({ applied: false })
    expect((await p.look()).assignees).toMatchObject([{ id: p.guest.id }])
  })
})

describe('labels', () => {
  test('/label adds those that exist, of the project and of groups above, with and without ~', async () => {
    const p = await opened()
    const bug = await p.label('bug')
    const { id: todo } = (await w.root.post(`/groups/${p.groupId}/labels`, { name: 'to do', color: 'red' }))
      .body
    const odd = await p.label('C++/x')
    expect(await p.say('/label ~bug "to do", C++/x ~bug')).toEqual(
      did({ add_label_ids: [bug, todo, odd] }, 'Added ~bug, ~"to do", and ~"C++/x" labels.'),
    )
    expect((await p.look()).labels.toSorted()).toEqual(['C++/x', 'bug', 'to do'])
    expect(await p.say('/label bug')).toEqual(did({}, 'This issue has ~bug already.'))
    const { summary } = await p.say(`/label ~${bug} ~gone ~"never here"`)
    expect(summary).toEqual(['This issue has ~bug already. There is no label ~gone and ~"never here" here.'])
  })

  test('/label makes none, and takes none of another project', async () => {
    const p = await opened()
    const elsewhere = await w.project({ visibility: 'public' })
    await elsewhere.owner.post(`/projects/${elsewhere.id}/labels`, { name: 'theirs', color: 'red' })
    expect(await p.say('/label ~theirs')).toEqual(nothing('There is no label ~theirs here.'))
    expect(await p.say(`/label ${elsewhere.fullPath}~theirs`)).toMatchObject({ applied: false })
    expect(await p.say('/label')).toEqual(nothing('/label needs labels.'))
    expect((await p.owner.get(`/projects/${p.id}/labels`)).body).toEqual([])
  })

  test('/unlabel takes off those that are named, or all', async () => {
    const p = await opened({ labels: 'a,b,c d' })
    const { changes, summary } = await p.say('/unlabel ~"c d" b ~none')
    expect(changes.remove_label_ids).toHaveLength(2)
    expect(summary).toEqual(['Removed ~b and ~"c d" labels.'])
    expect(await p.say('/remove_label ~b')).toEqual(did({}, 'This issue has no ~b.'))
    expect(await p.say('/unlabel')).toEqual(did({ label_ids: [] }, 'Removed all labels.'))
    expect(await p.say('/unlabel')).toEqual(nothing('This issue has no labels.'))
  })

  test('/relabel replaces all of them', async () => {
    const p = await opened({ labels: 'a,b' })
    const c = await p.label('c')
    expect(await p.say('/relabel ~c ~gone')).toEqual(
      did({ label_ids: [c] }, 'Replaced all labels with ~c. There is no label ~gone here.'),
    )
    expect(await p.say('/relabel ~gone')).toEqual(nothing('There is no label ~gone here.'))
    expect((await p.look()).labels).toEqual(['c'])
  })
})

describe('milestones', () => {
  test('/milestone sets one by title or number, /remove_milestone takes it off', async () => {
    const p = await opened()
    const { id } = await w.db
      .insertInto('milestones')
      .values({
        namespace_id: p.groupId,
        iid: 4,
        title: 'next release',
        created_at: 'now',
        updated_at: 'now',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const set = did({ milestone_id: id }, 'Set the milestone to %"next release".')
    const removed = did({ milestone_id: null }, 'Removed the milestone.')
    for (const written of ['%4', '%"next release"', 'next release', '"next release"']) {
      expect(await p.say(`/milestone ${written}`)).toEqual(set)
      expect(await p.say('/remove_milestone')).toEqual(removed)
    }
    expect(await p.say('/remove_milestone')).toEqual(nothing('This issue has no milestone.'))
    expect(await p.say('/milestone %v9')).toEqual(nothing('There is no milestone %v9 here.'))
    expect(await p.say(`/milestone %4 %5`)).toMatchObject({ applied: false })
    expect(await p.say('/milestone')).toMatchObject({ applied: false })
  })
})

describe('dates, title and weight', () => {
  test.each([
    ['2026-12-31', '2026-12-31'],
    ['today', '2026-01-31'],
    ['Tomorrow', '2026-02-01'],
    ['in 3 days', '2026-02-03'],
    ['in 1 day', '2026-02-01'],
    ['in  2 weeks', '2026-02-14'],
    ['in 1 month', '2026-02-28'],
    ['in 25 months', '2028-02-29'],
    ['in 9999 months', '2859-04-30'],
  ])('/due %s', async (written, day) => {
    w.clock.hold('2026-01-31T23:59:59Z')
    const p = await opened()
    expect(await p.say(`/due ${written}`)).toEqual(did({ due_date: day }, `Set the due date to ${day}.`))
    expect(await p.say('/remove_due_date')).toEqual(did({ due_date: null }, 'Removed the due date.'))
  })

  test('/due refuses what is no day, /remove_due_date where there is none', async () => {
    const p = await opened()
    for (const written of [
      '2026-02-30',
      '0000-01-01',
      '12-01',
      'soon',
      'in 12345 days',
      '2026-12-01T10:00:00Z',
      '',
    ])
      expect(await p.say(`/due ${written}`)).toMatchObject({ changes: {}, applied: false })
    expect(await p.say('/due soon')).toEqual(
      nothing('“soon” is no date: write 2026-12-01, today, tomorrow or in 3 days.'),
    )
    expect(await p.say('/remove_due_date')).toEqual(nothing('This issue has no due date.'))
  })

  test('/title retitles, and refuses none and one that is too long', async () => {
    const p = await opened()
    expect(await p.say('/title  It still breaks ')).toEqual(
      did({ title: 'It still breaks' }, 'Changed the title to “It still breaks”.'),
    )
    expect(await p.say(`/title ${'😀'.repeat(255)}`)).toMatchObject({ applied: true })
    expect(await p.say(`/title ${'a'.repeat(256)}`)).toEqual(nothing('A title has at most 255 characters.'))
    expect(await p.say('/title ')).toEqual(nothing('/title needs a title.'))
  })

  test('/weight takes whole numbers, /clear_weight takes it off', async () => {
    const p = await opened()
    expect(await p.say('/weight 0')).toEqual(did({ weight: 0 }, 'Set the weight to 0.'))
    expect(await p.say('/weight 2147483647')).toMatchObject({ applied: true })
    for (const written of ['2147483648', '-1', '1.5', 'heavy', ''])
      expect(await p.say(`/weight ${written}`)).toMatchObject({ applied: false })
    expect(await p.say('/clear_weight')).toEqual(did({ weight: null }, 'Removed the weight.'))
    expect(await p.say('/clear_weight')).toEqual(nothing('This issue has no weight.'))
  })
})

describe('who reads and writes', () => {
  test('/confidential, /lock and /unlock work once each', async () => {
    const p = await opened()
    expect(await p.say('/unlock')).toMatchObject({ applied: false })
    expect(await p.say('/lock\n/confidential')).toEqual(
      did(
        { confidential: true, discussion_locked: true },
        'Locked the discussion.',
        'Made this issue confidential.',
      ),
    )
    expect(await p.say('/lock\n/confidential')).toMatchObject({ applied: false })
    expect(await p.say('/unlock')).toEqual(did({ discussion_locked: false }, 'Unlocked the discussion.'))
  })

  test('/subscribe and /unsubscribe keep what somebody chose', async () => {
    const p = await opened()
    const { guest, reporter } = p
    expect(await p.say('/subscribe', guest)).toEqual(
      did({ subscription_event: 'subscribe' }, 'Subscribed you to this issue.'),
    )
    expect(await p.say('/subscribe', guest)).toMatchObject({ applied: false })
    // The author hears of it without having chosen.
    expect(await p.say('/unsubscribe', reporter)).toEqual(
      did({ subscription_event: 'unsubscribe' }, 'Unsubscribed you from this issue.'),
    )
    expect(await p.say('/unsubscribe', reporter)).toMatchObject({ applied: false })
    expect((await reporter.get(`/projects/${p.id}/issues/1`)).body.subscribed).toBe(false)
  })
})

/** Lines that could all be done. */
const everything = ({ guest }: Opened) => ({
  close: '',
  reopen: '',
  title: 'New',
  assign: `@${guest.username}`,
  unassign: '',
  reassign: `@${guest.username}`,
  label: '~bug',
  unlabel: '',
  relabel: '~bug',
  milestone: '%v1',
  remove_milestone: '',
  due: '2026-12-01',
  remove_due_date: '',
  weight: '1',
  clear_weight: '',
  epic: '&1',
  remove_epic: '',
  relate: '#99',
  blocks: '#99',
  blocked_by: '#99',
  duplicate: '#99',
  move: 'nowhere/at-all',
  clone: 'nowhere/at-all',
  confidential: '',
  estimate: '1h',
  remove_estimate: '',
  spend: '1h',
  remove_time_spent: '',
  award: ':heart:',
  lock: '',
  unlock: '',
  todo: '',
  done: '',
  subscribe: '',
  unsubscribe: '',
})

describe('time and reactions', () => {
  test('/estimate and /spend take durations, /spend also a day, and both can be removed', async () => {
    w.clock.hold('2026-02-01T12:00:00Z')
    const p = await opened()
    expect(await p.say('/estimate 3h 30m\n/spend 1h 2026-01-31')).toEqual(
      did(
        { time_estimate: 12_600, spend_time: { duration: 3_600, spent_at: '2026-01-31' } },
        'Set the time estimate to 3h 30m.',
        'Added 1h of spent time.',
      ),
    )
    expect((await p.look()).time_stats).toMatchObject({ time_estimate: 12_600, total_time_spent: 3_600 })
    const entry = await w.db
      .selectFrom('timelogs')
      .select('spent_at')
      .where('noteable_id', '=', p.issueId)
      .execute()
    expect(entry[0]?.spent_at).toMatch(/^2026-01-31/)
    expect(await p.say('/spent -30m')).toMatchObject({ summary: ['Took back 30m of spent time.'] })
    expect(await p.say('/remove_time_estimate\n/remove_time_spent')).toMatchObject({ applied: true })
    expect((await p.look()).time_stats).toMatchObject({ time_estimate: 0, total_time_spent: 0 })
    for (const written of ['/estimate soon', '/estimate -1h', '/spend', '/spend 1h 2026-02-02', '/spend 0m'])
      expect(await p.say(written)).toMatchObject({ changes: {}, applied: false })
    expect(await p.say('/remove_estimate')).toEqual(nothing('There is no time estimate.'))
  })

  test('/award gives a reaction and takes it back', async () => {
    const p = await opened()
    expect(await p.say('/award :thumbsup:')).toEqual(
      did({ emoji_award: ['thumbsup'] }, 'Toggled :thumbsup:.'),
    )
    expect((await p.look()).upvotes).toBe(1)
    await p.say('/react thumbsup')
    expect((await p.look()).upvotes).toBe(0)
    expect(await p.say('/award :nothing_like_it:')).toMatchObject({ applied: false })
  })
})

describe('rights', () => {
  const outcome = async (p: Opened, author: Actor) => {
    const lines = Object.entries(everything(p))
    const { summary } = await p.say(lines.map(([name, args]) => `/${name} ${args}`).join('\n'), author)
    return lines.flatMap(([name], index) =>
      summary[index] === `You may not use /${name} here.` ? [] : [name],
    )
  }

  test('guests subscribe; authors and assignees also close, reopen and retitle; planners do all', async () => {
    const p = await opened({ labels: 'bug' })
    const all = Object.keys(issueActions)
    expect(Object.keys(everything(p)).toSorted()).toEqual(all.toSorted())
    const linking = ['relate', 'blocks', 'blocked_by']
    expect(await outcome(p, p.guest)).toEqual([
      ...linking,
      'award',
      'todo',
      'done',
      'subscribe',
      'unsubscribe',
    ])
    const own = await p.guest.post(`/projects/${p.id}/issues`, { title: 'Mine' })
    const asAuthor = await write(p.guest, p, own.body.iid, '/close\n/title Yours\n/due today\n/reopen')
    expect(asAuthor.summary[2]).toBe('You may not use /due here.')
    expect(asAuthor.changes).toEqual({ title: 'Yours' })
    await p.say(`/assign @${p.guest.username}`)
    expect(await outcome(p, p.guest)).toEqual([
      'close',
      'reopen',
      'title',
      ...linking,
      'award',
      'todo',
      'done',
      'subscribe',
      'unsubscribe',
    ])
    for (const author of [p.planner, p.reporter, p.owner, p.admin])
      expect((await outcome(p, author)).toSorted()).toEqual(all.toSorted())
  })

  test('what may not be used is not looked up', async () => {
    const p = await opened()
    const before = await w.statements(() => p.say('/subscribe', p.guest))
    const more = await w.statements(() =>
      p.say('/unsubscribe\n/label ~a\n/assign @b\n/milestone %1', p.guest),
    )
    expect(more).toHaveLength(before.length)
  })
})

describe('several commands', () => {
  test('come one after the other, and only what differs at the end is changed', async () => {
    const p = await opened({ labels: 'a' })
    const b = await p.label('b')
    expect(await p.say('/close\n/unlabel ~a\n/label ~a ~b\n/reopen\n/title New\n/weight x')).toEqual({
      changes: { add_label_ids: [b], title: 'New' },
      applied: true,
      summary: [
        'Closed this issue.',
        'Removed ~a label.',
        'Added ~a and ~b labels.',
        'Reopened this issue.',
        'Changed the title to “New”.',
        'A weight is a whole number from 0 to 2147483647.',
      ],
    })
    const { rows } = await w.running.services.pool.query(
      `select body from notes where noteable_id = ${p.issueId} order by id`,
    )
    expect(rows).toEqual([{ body: 'changed title from **It breaks** to **New**' }])
  })

  test('take one statement for each kind of name, however many there are', async () => {
    const p = await opened()
    for (const name of ['a', 'b', 'c']) await p.label(name)
    const few = await w.statements(() => p.say('/label ~gone\n/assign @b\n/milestone %1'))
    const many = await w.statements(() =>
      p.say('/label ~x ~y\n/label ~z\n/assign @b @c\n/reassign @d\n/milestone %1\n/milestone %2'),
    )
    expect(many).toHaveLength(few.length)
  })

  test('have limits: commands, characters and names', async () => {
    const p = await opened()
    const { summary } = await p.say('/close\n/reopen\n'.repeat(60))
    expect(summary).toHaveLength(101)
    expect(summary.at(-1)).toBe('Only the first 100 commands were done.')
    const names = Array.from({ length: 101 }, (_, index) => `~${index}a`).join(' ')
    expect(await p.say(`/label ${names}`)).toEqual(
      nothing('All commands of a note name at most 100 people, labels and milestones.'),
    )
    expect(await p.say(`/unlabel ${'a '.repeat(2_000)}b`)).toEqual(
      nothing('/unlabel takes at most 2000 characters.'),
    )
    const long = await p.say(`/milestone ${'x'.repeat(1_900)}`)
    expect(long.summary[0]?.length).toBeLessThan(200)
  })

  test('hold nothing up: two people who change one issue come one after the other', async () => {
    const p = await opened()
    await p.label('a')
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => p.say(index % 2 ? '/label ~a' : '/close')),
    )
    expect(all.filter(({ changes }) => changes.add_label_ids !== undefined)).toHaveLength(1)
    expect(all.filter(({ changes }) => changes.state_event !== undefined)).toHaveLength(1)
    expect(await p.look()).toMatchObject({ state: 'closed', labels: ['a'] })
  })
})
