import { expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

// What the headers of projects and groups lead to, for everybody who sees them.

const HERE = { accept: 'text/html' }
/** Of members, and of people who are none. */
const LEVELS = [undefined, 10, 15, 20, 30, 40, 50] as const

/** The addresses in the header of a page. */
function offeredOn(text: string): readonly string[] {
  const [, header = ''] = /<div class="place">([\s\S]*?)<div class="columns/.exec(text) ?? []
  return [...header.matchAll(/href="([^"]*)"/g)].map(([, address = '']) => address)
}

/** The pages that headers lead to, from one page on, and how each answers. */
async function pagesFrom(visitor: Visitor, first: string): Promise<ReadonlyMap<string, number>> {
  const answers = new Map<string, number>()
  const addresses = [first]
  for (const address of addresses) {
    if (answers.has(address)) continue
    const { status, text } = await visitor.get(address, HERE)
    answers.set(address, status)
    if (status === 200) for (const one of offeredOn(text)) addresses.push(one)
  }
  return answers
}

const others = (answers: ReadonlyMap<string, number>, allowed: readonly number[]) =>
  [...answers].filter(([, status]) => !allowed.includes(status))

test.each(['public', 'private'] as const)(
  'headers of a %s project lead to what works',
  async (visibility) => {
    const group = await w.group({ visibility })
    const { owner, id, fullPath } = await w.project({ visibility, parent: group.id })
    const actions = [{ action: 'create', file_path: 'a.txt', content: 'a\n' }]
    const commit = { branch: 'main', commit_message: 'Begin', actions }
    expect((await owner.post(`/projects/${id}/repository/commits`, commit)).status).toBe(201)
    for (const level of LEVELS) {
      const { visitor, ...person } = await signedIn(w)
      if (level !== undefined) await w.member(group.id, person, level)
      else if (visibility === 'private') continue
      const answers = await pagesFrom(visitor, `/${fullPath}`)
      expect(answers.size).toBeGreaterThan(25)
      expect({ level, others: others(answers, [200]) }).toEqual({ level, others: [] })
    }
  },
)

test('headers leave out what is open to members alone', async () => {
  const { owner, id, fullPath } = await w.project({ visibility: 'public' })
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'a\n' }]
  const commit = { branch: 'main', commit_message: 'Begin', actions }
  expect((await owner.post(`/projects/${id}/repository/commits`, commit)).status).toBe(201)
  const { body } = await owner.get(`/projects/${id}`)
  const features = Object.keys(body).filter((name) => name.endsWith('_access_level'))
  const { visitor } = await signedIn(w)
  const expectRight = async (settings: object) => {
    expect((await owner.put(`/projects/${id}`, settings)).status).toBe(200)
    const answers = await pagesFrom(visitor, `/${fullPath}`)
    expect({ settings, others: others(answers, [200]) }).toEqual({ settings, others: [] })
  }
  for (const feature of features) {
    await expectRight({ [feature]: 'private' })
    await owner.put(`/projects/${id}`, { [feature]: 'enabled' })
  }
  await expectRight(Object.fromEntries(features.map((feature) => [feature, 'disabled'])))
})

test('headers lead strangers to what works, or to where they sign in', async () => {
  const group = await w.group({ visibility: 'public' })
  const { fullPath } = await w.project({ visibility: 'public', parent: group.id })
  const answers = await pagesFrom(new Visitor(w.url), `/${fullPath}`)
  expect(answers.size).toBeGreaterThan(20)
  expect(others(answers, [200, 303])).toEqual([])
  expect([...answers.keys()].filter((address) => /schedules|alert/.test(address))).toEqual([])
})
