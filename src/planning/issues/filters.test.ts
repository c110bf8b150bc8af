import { beforeAll, describe, expect, test } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { addMilestone, react, titles } from './test-support.ts'

/** One project for all: nobody changes its issues. */
let p: Awaited<ReturnType<typeof w.project>>
let ids: Map<string, number>

/** The titles of the issues that the query finds, in the order in which they were opened. */
async function found(query: string, by: Actor = p.planner): Promise<string[]> {
  const answer = await by.get(`/projects/${p.id}/issues?order_by=id&sort=asc&${query}`)
  expect({ query, status: answer.status }).toEqual({ query, status: 200 })
  return titles(answer)
}

const refusal = async (query: string) => {
  const { status, body } = await p.planner.get(`/projects/${p.id}/issues?${query}`)
  return { status, error: body.error }
}

/** All but these. */
const but = (...without: string[]) =>
  ['plain', 'login', 'deploy', 'docs', 'secret'].filter((t) => !without.includes(t))

beforeAll(async () => {
  p = await w.project()
  const upcoming = await addMilestone(p, { title: 'v2', start_date: '2040-01-01', due_date: '2040-02-01' })
  const started = await addMilestone(p, { title: 'v1', start_date: '2020-01-01' })
  const closed = await addMilestone(p, {
    title: 'v0',
    state: 'closed',
    start_date: '2020-01-01',
    due_date: '2040-01-01',
  })
  w.clock.hold('2030-05-15T12:00:00Z') // a Wednesday
  const open = async (title: string, given: object, by = p.reporter) => {
    const { status, body } = await by.post(`/projects/${p.id}/issues`, { title, ...given })
    expect(status).toBe(201)
    return [title, body.id as number] as const
  }
  await p.planner.post(`/projects/${p.id}/labels`, { name: 'none of these', color: 'red' })
  ids = new Map([
    await open('plain', {}),
    await open(
      'login',
      {
        labels: 'bug,urgent',
        assignee_ids: [p.developer.id, p.guest.id],
        milestone_id: upcoming,
        weight: 3,
        due_date: '2030-05-15',
        created_at: '2030-01-01T00:00:00Z',
      },
      p.owner,
    ),
    await open('deploy', {
      labels: 'bug',
      assignee_ids: [p.developer.id],
      milestone_id: started,
      weight: 0,
      due_date: '2030-05-14',
    }),
    await open(
      'docs',
      { labels: 'none of these', issue_type: 'task', due_date: '2030-06-30', milestone_id: closed },
      p.guest,
    ),
    await open('secret', { confidential: true, due_date: '2030-05-19' }, p.planner),
  ])
  w.clock.hold('2030-05-15T13:00:00Z')
  await p.owner.put(`/projects/${p.id}/issues/2`, { state_event: 'close' })
  await react(ids.get('plain') ?? 0, p.planner, 'thumbsup')
  await react(ids.get('login') ?? 0, p.planner, 'heart')
  await react(ids.get('docs') ?? 0, p.guest, 'thumbsup')
})

describe('filters of lists of issues', () => {
  test.each([
    ['', but()],
    ['state=all', but()],
    ['state=opened', but('login')],
    ['state=closed', ['login']],
    ['labels=bug', ['login', 'deploy']],
    ['labels=bug,urgent', ['login']],
    ['labels[]=bug&labels[]=urgent', ['login']],
    ['labels[]=bug,urgent', ['login']],
    ['labels=bug,unknown', []],
    ['labels=Bug', []],
    ['labels=None', ['plain', 'secret']],
    ['labels=Any', ['login', 'deploy', 'docs']],
    ['labels=any,bug', ['login', 'deploy']],
    ['labels=none,bug', []],
    ['labels=none of these', ['docs']],
    ['labels=', but()],
    ['milestone=v1', ['deploy']],
    ['milestone=v9', []],
    ['milestone=None', ['plain', 'secret']],
    ['milestone=any', ['login', 'deploy', 'docs']],
    ['milestone=Upcoming', ['login']],
    ['milestone=started', ['deploy']],
    ['milestone_id=None', ['plain', 'secret']],
    ['milestone_id=Any', ['login', 'deploy', 'docs']],
    ['milestone_id=none', ['plain', 'secret']],
    ['milestone_id=UPCOMING', ['login']],
    ['milestone_id=Started', ['deploy']],
    ['iids[]=1&iids[]=3', ['plain', 'deploy']],
    ['iids=2,4,999999999999', ['login', 'docs']],
    ['iids[]=', but()],
    ['assignee_id=None', ['plain', 'docs', 'secret']],
    ['assignee_id=none', ['plain', 'docs', 'secret']],
    ['assignee_id=0', ['plain', 'docs', 'secret']],
    ['assignee_id=Any', ['login', 'deploy']],
    ['assignee_id=999999999', []],
    ['assignee_id=', but()],
    ['confidential=true', ['secret']],
    ['confidential=false', but('secret')],
    ['issue_type=task', ['docs']],
    ['weight=0', ['deploy']],
    ['weight=3', ['login']],
    ['weight=None', ['plain', 'docs', 'secret']],
    ['weight=any', ['login', 'deploy']],
    ['my_reaction_emoji=heart', ['login']],
    ['my_reaction_emoji=thumbsup', ['plain']],
    ['my_reaction_emoji=Any', ['plain', 'login']],
    ['my_reaction_emoji=None', ['deploy', 'docs', 'secret']],
    ['created_before=2030-01-02', ['login']],
    ['created_after=2030-05-15T12:00:00Z', but('login')],
    ['created_after=2030-05-15T12:00:00.001Z', []],
    ['updated_after=2030-05-15T12:30:00Z', ['login']],
    ['updated_before=2030-05-15T12:30:00%2B00:00', but('login')],
    ['due_date=0', ['plain']],
    ['due_date=Any', but('plain')],
    ['due_date=', but()],
    ['due_date=today', ['login']],
    ['due_date=tomorrow', []],
    ['due_date=overdue', ['deploy']],
    ['due_date=week', ['login', 'deploy', 'secret']],
    ['due_date=month', ['login', 'deploy', 'secret']],
    ['due_date=next_month_and_previous_two_weeks', but('plain')],
    ['state=opened&labels=bug&weight=0', ['deploy']],
  ])('%s', async (query, expected) => {
    w.clock.hold('2030-05-15T12:00:00Z')
    expect(await found(query)).toEqual(expected)
  })

  test.each([
    ['not[labels]=bug', ['plain', 'docs', 'secret']],
    ['not[labels]=urgent,none of these', ['plain', 'deploy', 'secret']],
    ['not[labels][]=urgent&not[labels][]=unknown', but('login')],
    ['labels=bug&not[labels]=urgent', ['deploy']],
    ['not[milestone]=v1', but('deploy')],
    ['not[milestone]=None', ['login', 'deploy', 'docs']],
    ['not[milestone_id]=Upcoming', but('login')],
    ['not[milestones][]=v1&not[milestones][]=v2', but('login', 'deploy')],
    ['not[milestones]=["v2","none of these"]', but('login')],
    ['not[milestones]=', but()],
    ['not[iids]=1,2', ['deploy', 'docs', 'secret']],
    ['not[weight]=3', but('login')],
    ['not[weight]=None', ['login', 'deploy']],
    ['not[my_reaction_emoji]=heart', but('login')],
    ['not[assignee_id]=None', ['login', 'deploy']],
    ['not[iteration_id]=5', but()],
    ['not[iteration_title]=Sprint', but()],
    ['not[iteration_id]=None', []],
    ['not[labels]=', but()],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('by people, by id and by name', async () => {
    const { developer, guest, owner } = p
    expect(await found(`author_id=${owner.id}`)).toEqual(['login'])
    expect(await found(`author_username=${owner.username.toUpperCase()}`)).toEqual(['login'])
    expect(await found('author_username=nobody-at-all')).toEqual([])
    expect(await found(`not[author_id]=${owner.id}`)).toEqual(but('login'))
    expect(await found(`not[author_username]=${guest.username}`)).toEqual(but('docs'))
    expect(await found(`assignee_id=${developer.id}`)).toEqual(['login', 'deploy'])
    expect(await found(`assignee_username=${developer.username}`)).toEqual(['login', 'deploy'])
    const both = `assignee_username[]=${developer.username}&assignee_username[]=${guest.username}`
    expect(await found(both)).toEqual(['login'])
    expect(await found(`not[assignee_username]=${guest.username}`)).toEqual(but('login'))
    expect(await found(`not[assignee_id]=${developer.id}`)).toEqual(['plain', 'docs', 'secret'])
    expect(await found(`closed_by_id=${owner.id}`)).toEqual(['login'])
    expect(await found(`closed_by_id=${guest.id}`)).toEqual([])
  })

  test.each(['created_by_me', 'created-by-me'])('scope=%s', async (scope) => {
    expect(await found(`scope=${scope}`, p.guest)).toEqual(['docs'])
    expect(await found(`scope=${scope}`)).toEqual(['secret'])
  })

  test.each(['assigned_to_me', 'assigned-to-me'])('scope=%s', async (scope) => {
    expect(await found(`scope=${scope}`, p.guest)).toEqual(['login'])
    expect(await found(`scope=${scope}`, p.developer)).toEqual(['login', 'deploy'])
    expect(await found(`scope=${scope}`, p.owner)).toEqual([])
  })

  test('of what is not there yet, only asking for none finds anything', async () => {
    for (const none of ['epic_id=None', 'iteration_id=None', 'health_status=none', 'health_status=None'])
      expect(await found(none)).toEqual(but())
    for (const some of [
      'epic_id=1',
      'epic_id=Any',
      'iteration_id=1',
      'iteration_id=Any',
      'iteration_id=Current',
      'iteration_title=Sprint',
      'health_status=any',
      'health_status=Any',
      'health_status=at_risk',
    ])
      expect(await found(some)).toEqual([])
  })

  test.each([
    ['state=merged', 'state does not have a valid value'],
    ['milestone_id=7', 'milestone_id does not have a valid value'],
    ['author_id=1&author_username=root', 'author_id, author_username are mutually exclusive'],
    ['assignee_id=1&assignee_username=root', 'assignee_id, assignee_username are mutually exclusive'],
    ['milestone=v1&milestone_id=Any', 'milestone_id, milestone are mutually exclusive'],
    ['not[author_id]=1&not[author_username]=root', 'author_id, author_username are mutually exclusive'],
    ['iids[]=x', 'iids is invalid'],
    ['author_id=me', 'author_id is invalid'],
    ['assignee_id=me', 'assignee_id is invalid'],
    ['weight=-1', 'weight does not have a valid value'],
    ['weight=heavy', 'weight is invalid'],
    ['due_date=someday', 'due_date does not have a valid value'],
    ['scope=mine', 'scope does not have a valid value'],
    ['in=comments', 'in does not have a valid value'],
    ['confidential=perhaps', 'confidential is invalid'],
    ['created_after=yesterday', 'created_after is invalid'],
    ['order_by=color', 'order_by does not have a valid value'],
    ['sort=up', 'sort does not have a valid value'],
    ['not=bug', 'not is invalid'],
    ['not[weight]=heavy', 'not[weight] is invalid'],
  ])('%s is refused', async (query, error) => {
    expect(await refusal(query)).toEqual({ status: 400, error })
  })
  test('what is too long is refused', async () => {
    expect(await refusal(`search=${'x'.repeat(1025)}`)).toEqual({
      status: 400,
      error: 'search is too long (maximum is 1024 characters)',
    })
    for (const name of ['labels', 'assignee_username'])
      expect(await refusal(`${name}=${'a,'.repeat(50)}a`)).toEqual({
        status: 400,
        error: `${name} has too many elements (maximum is 50)`,
      })
  })
})
