import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Forms of pipelines, jobs and to-dos.

let p: Awaited<ReturnType<typeof w.project>>
let at = ''
let page = ''
let maintainer: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  at = `/projects/${p.id}`
  page = `/${p.fullPath}/-`
  maintainer = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  const content = 'build:\n  script: make\nby-hand:\n  script: make it\n  when: manual\n'
  await p.owner.post(`${at}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content }],
  })
})

const shown = async (who: typeof maintainer, path: string) => (await who.visitor.get(path, HERE)).text

test('a pipeline is run with a variable, canceled, and run again', async () => {
  const made = await submit(maintainer.visitor, `${page}/pipelines/new`, 'run', {
    ref: 'main',
    'variables[0][key]': 'GREETING',
    'variables[0][value]': 'Hello',
    'variables[1][key]': '',
    'variables[1][value]': '',
  })
  expect(made.headers.location).toMatch(/\/-\/pipelines\/\d+$/)
  const one = made.headers.location ?? ''
  const id = one.split('/').at(-1) ?? ''
  expect((await p.owner.get(`${at}/pipelines/${id}/variables`)).body).toMatchObject([
    { key: 'GREETING', value: 'Hello' },
  ])
  await submit(maintainer.visitor, one, 'cancel')
  await expect.poll(async () => (await p.owner.get(`${at}/pipelines/${id}`)).body.status).toBe('canceled')
  await submit(maintainer.visitor, one, 'retry')
  const jobs = (await p.owner.get(`${at}/pipelines/${id}/jobs`)).body
  const byHand = jobs.find(({ name }: { name: string }) => name === 'by-hand')
  const played = await submit(maintainer.visitor, `${page}/jobs/${byHand.id}`, 'play')
  const job = played.headers.location ?? ''
  expect((await p.owner.get(`${at}/jobs/${job.split('/').at(-1)}`)).body.status).toBe('pending')
  await submit(maintainer.visitor, job, 'cancel')
  const again = await submit(maintainer.visitor, job, 'retry')
  expect(again.headers.location).not.toBe(job)
  const reader = await signedIn(w)
  for (const path of [one, job]) expect(formsIn(await shown(reader, path))).toEqual([])
})

test('a branch that is not there is refused, with what was typed', async () => {
  const answer = await submit(maintainer.visitor, `${page}/pipelines/new`, 'run', {
    ref: 'nowhere',
    'variables[0][key]': 'KEPT',
    'variables[0][value]': 'value',
  })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('value="KEPT"')
  expect(answer.text).toContain('Reference not found.')
})

test('to-dos are done one by one, or all at once', async () => {
  const about = async (title: string) => {
    await p.owner.post(`${at}/issues`, { title, assignee_ids: [maintainer.id] })
  }
  for (const title of ['First', 'Second', 'Third']) await about(title)
  const waiting = async () => (await maintainer.user.get('/todos')).body
  await expect.poll(async () => (await waiting()).length).toBe(3)
  const [{ id, target }] = await waiting()
  await submit(maintainer.visitor, '/dashboard/todos', `done/${id}`)
  expect(await waiting()).toHaveLength(2)
  const done = await shown(maintainer, '/dashboard/todos?state=done')
  expect([done.includes(`>${target.title}<`), formsIn(done)]).toEqual([true, []])
  expect(await shown(maintainer, '/dashboard/todos')).not.toContain(`>${target.title}<`)
  await submit(maintainer.visitor, '/dashboard/todos', 'all-done')
  expect(await waiting()).toEqual([])
})

test('a schedule is made, changed, run, taken over and deleted', async () => {
  const list = `${page}/pipeline_schedules`
  await submit(maintainer.visitor, `${list}/new`, 'make', {
    description: 'Every night',
    ref: 'main',
    cron: '0 4 * * *',
    cron_timezone: 'UTC',
    active: 'true',
  })
  const schedules = async () => (await p.owner.get(`${at}/pipeline_schedules`)).body
  const [{ id }] = await schedules()
  const edit = `${list}/${id}/edit`
  expect(await shown(maintainer, list)).toContain(`href="${edit}"`)
  const wrong = await submit(maintainer.visitor, edit, 'save', { cron: 'never' })
  expect([wrong.status, wrong.text.includes('id="save-cron-problem"')]).toEqual([400, true])
  await submit(maintainer.visitor, edit, 'save', { description: 'Each night', active: 'false' })
  expect(await schedules()).toMatchObject([{ description: 'Each night', active: false }])
  expect((await submit(maintainer.visitor, edit, 'play')).headers.location).toBe(list)
  const other = await signedIn(w)
  await w.member(p.namespaceId, other, 40)
  await submit(other.visitor, edit, 'take')
  expect(await schedules()).toMatchObject([{ owner: { id: other.id } }])
  const reader = await signedIn(w)
  await w.member(p.namespaceId, reader, 20)
  expect(await shown(reader, list)).not.toContain('/edit"')
  expect((await reader.visitor.get(edit, HERE)).status).toBe(404)
  await submit(other.visitor, edit, 'delete')
  expect(await schedules()).toEqual([])
})
