import { parseSetCookie } from 'cookie'
import { startChild, temporaryFolder } from './children.ts'
import { send } from './load.ts'
import { atMost, type Effort, type Measure } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-the-console'
const CONNECTIONS = 4
/** Milliseconds within which nine of ten pages begin, and bytes of HTML. */
const MOST_MS = 100
const MOST_BYTES = 60_000

/** What pages of the day cost whoever looks at them: time, and bytes. */
export async function measureConsole({ seconds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using forgelet = await startChild<{ url: string }>('boot.js', [], {
    FORGELET_DATA: `${folder.path}/data`,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const { url } = forgelet.said
  const cookie = await fill(url)
  const headers = { accept: 'text/html', cookie }
  const measures: Measure[] = []
  for (const [name, path] of pages) {
    const answer = await fetch(url + path, { headers })
    const { length } = await answer.text()
    if (answer.status !== 200) throw new Error(`${answer.status} from ${path}`)
    await send({ url: url + path, headers }, 1, CONNECTIONS)
    const { percentiles, perSecond, refused } = await send({ url: url + path, headers }, seconds, CONNECTIONS)
    if (refused > 0) throw new Error(`${path}: ${refused} requests were refused`)
    const [, p90] = percentiles
    measures.push(
      atMost(name, p90, MOST_MS, `P90 ${p90.toFixed(0)} ms, ${perSecond.toFixed(0)} a second`),
      ...(name === 'diff of 50 files'
        ? []
        : [atMost(`${name}: HTML`, length, MOST_BYTES, `${(length / 1_000).toFixed(1)} kB`)]),
    )
  }
  return measures
}

const at = '/root/day'
const pages = [
  ['project', at],
  ['file', `${at}/-/blob/main/src/file-1.ts`],
  ['issue with 20 notes', `${at}/-/issues/1`],
  ['list of issues', `${at}/-/issues`],
  ['merge request', `${at}/-/merge_requests/1`],
  ['diff of 50 files', `${at}/-/merge_requests/1/diffs`],
  ['board', `${at}/-/boards/1`],
  ['dashboard', '/dashboard'],
] as const

/** A project as on a usual day. @returns the cookie of somebody who is signed in */
async function fill(url: string): Promise<string> {
  const api = async (path: string, body: object) => {
    const answer = await fetch(`${url}/api/v4${path}`, {
      method: 'POST',
      headers: { 'private-token': TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${answer.status} from ${path}: ${await answer.text()}`)
  }
  const password = 'the password of the bench'
  const project = '/projects/root%2Fday'
  await api('/users', {
    username: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    password,
    skip_confirmation: true,
  })
  await api('/projects', { name: 'day', visibility: 'public' })
  const files = (action: string, line: string) =>
    Array.from({ length: 50 }, (_, file) => ({
      action,
      file_path: `src/file-${file}.ts`,
      content: Array.from(
        { length: 40 },
        (_, n) => `export const value${n} = '${n % 9 === 0 ? line : n}'\n`,
      ).join(''),
    }))
  const readme = { action: 'create', file_path: 'README.md', content: '# A day\n\nWith **files**, see #1.\n' }
  await api(`${project}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [readme, ...files('create', 'before')],
  })
  await api(`${project}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'Change',
    actions: files('update', 'after'),
  })
  for (let issue = 1; issue <= 30; issue += 1)
    await api(`${project}/issues`, {
      title: `Issue ${issue}`,
      description: 'It is **broken**.',
      labels: 'bug,ui',
    })
  await api(`${project}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Change it',
  })
  for (let note = 1; note <= 20; note += 1)
    await api(`${project}/issues/1/notes`, { body: `Note ${note}, see #2 and **that**.` })
  await api(`${project}/boards`, { name: 'Development' })
  const form = new URLSearchParams({ login: 'ada', password })
  const signedIn = await fetch(`${url}/users/sign_in`, { method: 'POST', body: form, redirect: 'manual' })
  const cookies = signedIn.headers.getSetCookie().map((text) => parseSetCookie(text))
  return cookies.map(({ name, value = '' }) => `${name}=${value}`).join('; ')
}
