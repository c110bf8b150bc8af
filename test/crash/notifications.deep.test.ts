import { afterEach, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { MailListener } from '#test/smtp.ts'
import { dataFolder, giveUpOn, killEverything, start, TOKEN } from './killing.ts'

/** People who are mentioned in each issue, and issues that are written until the server dies. */
const PEOPLE = ['ada', 'ben', 'cleo', 'dora']
const EACH = 20

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test(
  'killed between recording and sending, a server tells everybody of everything once, by mail and to-do',
  { timeout: 240_000 },
  async () => {
    const gone = await MailListener.open()
    const { port } = gone
    await gone[Symbol.asyncDispose]()
    const mail = { FORGELET_SMTP_URL: `smtp://127.0.0.1:${port}` }
    const data = await dataFolder()
    let server = await start(data, mail)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    for (const username of PEOPLE) {
      const email = `${username}@example.com`
      const made = { username, name: username, email, force_random_password: true, skip_confirmation: true }
      expect((await api.post('/users', made)).status).toBe(201)
    }
    const { body: project } = await api.post('/projects', { name: 'crash', visibility: 'public' })
    const written: string[] = []
    for (let count = 0; count < EACH; count += 1) {
      const title = `Issue ${count}`
      const description = PEOPLE.map((name) => `@${name}`).join(' ')
      const { status } = await api.post(`/projects/${project.id}/issues`, { title, description })
      expect(status).toBe(201)
      written.push(title)
    }
    // Some are told, some are not, and the mail server has been down all the time.
    await killEverything(server.child, data)
    const killed = new Date()
    await using listener = await MailListener.open({}, port)
    server = await start(data, mail)
    await giveUpOn(data, killed)
    api = new Client(server.url, { 'private-token': TOKEN })
    const subjects = (name: string) =>
      listener
        .mailsTo(`${name}@example.com`)
        .flatMap(({ raw }) => /^Subject: .*?(Issue \d+) \(/m.exec(raw)?.[1] ?? [])
        .toSorted()
    for (const name of PEOPLE) {
      const wanted = written.toSorted()
      await expect
        .poll(() => new Set(subjects(name)).size, { timeout: 180_000, interval: 100 })
        .toBe(wanted.length)
      expect(subjects(name)).toEqual(wanted)
      const { body: todos } = await api.get(`/todos?per_page=100&sudo=${name}`)
      const titles = todos.map(({ target }: { target: { title: string } }) => target.title)
      expect(titles.toSorted()).toEqual(wanted)
    }
  },
)
