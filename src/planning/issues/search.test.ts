import { beforeAll, describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { titles } from './test-support.ts'

let p: Awaited<ReturnType<typeof w.project>>

async function found(search: string, more = ''): Promise<string[]> {
  const query = `order_by=id&sort=asc&search=${encodeURIComponent(search)}${more}`
  const answer = await p.planner.get(`/projects/${p.id}/issues?${query}`)
  expect({ search, status: answer.status }).toEqual({ search, status: 200 })
  return titles(answer)
}

beforeAll(async () => {
  p = await w.project()
  for (const [title, description] of [
    ['Login fails', 'The page of the Übersicht is empty, see src/platform/http/routing.ts'],
    ['Write to you@example.com', 'It is about the login'],
    ['Use find_issue() in C++', '<b>Tags</b> and a-dash, don’t drop them: v1.2.3'],
    ['修复登录错误', ''],
    ['Nothing in particular', null],
  ])
    await p.reporter.post(`/projects/${p.id}/issues`, { title, description })
})

const [login, mail, code, chinese, nothing] = [
  'Login fails',
  'Write to you@example.com',
  'Use find_issue() in C++',
  '修复登录错误',
  'Nothing in particular',
]

describe('search of issues', () => {
  test.each([
    ['login', [login, mail]],
    ['LOGIN', [login, mail]],
    ['log', [login, mail]],
    ['ogin', []],
    ['fails login', [login]],
    ['login page', [login]],
    ['login unheard', []],
    ['übersicht', [login]],
    ['ÜBERS', [login]],
    ['routing', [login]],
    ['src/platform/http', [login]],
    ['routing.ts', [login]],
    ['example', [mail]],
    ['you@example.com', [mail]],
    ['"find_issue"', [code]],
    ['issue find', [code]],
    ['C++', [mail, code]],
    ['tags dash', [code]],
    ['v1.2', [code]],
    ['don’t', [code]],
    ['修复', [chinese]],
    ["partic' & | ! ( :* <->", [nothing]],
    ['', [login, mail, code, chinese, nothing]],
  ])('%j', async (search, expected) => {
    expect(await found(search)).toEqual(expected)
  })

  test.each([' ', '!', '- & |', '“…”', '\\', "'", '🐛'])(
    '%j has no word, and is found nowhere',
    async (search) => {
      expect(await found(search)).toEqual([])
    },
  )

  test('looks in the parts that are named', async () => {
    expect(await found('login', '&in=title')).toEqual([login])
    expect(await found('login', '&in=description')).toEqual([mail])
    expect(await found('login', '&in=title,description')).toEqual([login, mail])
    expect(await found('login', '&in[]=title&in[]=description')).toEqual([login, mail])
    expect(await found('login write', '&in=title')).toEqual([])
  })

  test('a word longer than any that is kept is found nowhere', async () => {
    expect(await found('修'.repeat(700))).toEqual([])
    expect(await found('x'.repeat(1024))).toEqual([])
    expect(await found('login '.repeat(170))).toEqual([login, mail])
  })

  test('follows what is changed', async () => {
    const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'Zebra' })
    expect(await found('zebra')).toEqual(['Zebra'])
    await p.planner.put(`/projects/${p.id}/issues/${body.iid}`, { title: 'Okapi', description: 'No zebra' })
    expect(await found('zebra', '&in=title')).toEqual([])
    expect(await found('okapi')).toEqual(['Okapi'])
    await p.owner.delete(`/projects/${p.id}/issues/${body.iid}`)
    expect(await found('okapi')).toEqual([])
  })

  test('a text of more words than are kept is taken', async () => {
    const long = Array.from({ length: 150_000 }, (_, index) => index.toString(36)).join(' ')
    const answer = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'Long', description: long })
    expect(answer.status).toBe(201)
    expect(await found('long')).toEqual(['Long'])
    expect((await p.owner.delete(`/projects/${p.id}/issues/${answer.body.iid}`)).status).toBe(204)
  })
})
