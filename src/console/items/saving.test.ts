import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { formsOn, send } from '#test/contract/forms-test-support.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'

let p: Awaited<ReturnType<typeof w.project>>
type Person = Awaited<ReturnType<typeof signedIn>>
let people: readonly [Person, Person]

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  people = [await signedIn(w), await signedIn(w)]
  for (const one of people) await w.member(p.namespaceId, one, 40)
})

const text = { title: 'Text', description: 'Before' }

const openIssue = () => p.owner.post(`/projects/${p.id}/issues`, text)

async function openMergeRequest() {
  for (const [branch, start_branch] of [['main'], ['topic', 'main']])
    await p.owner.post(`/projects/${p.id}/repository/commits`, {
      branch,
      start_branch,
      commit_message: 'Change it',
      actions: [{ action: 'create', file_path: `${branch}.txt`, content: 'text\n' }],
    })
  const branches = { source_branch: 'topic', target_branch: 'main' }
  return p.owner.post(`/projects/${p.id}/merge_requests`, { ...text, ...branches })
}

const openMilestone = () => p.owner.post(`/projects/${p.id}/milestones`, text)

const formOn = async ({ visitor }: Person, page: string) => {
  const form = (await formsOn(visitor, page)).find(({ does }) => does === 'save')
  if (form === undefined) throw new Error(`nothing is saved on ${page}`)
  return form
}

type Change = readonly [field: string, value: string]

/** Sends a form with other values in some of its fields. */
const save = ({ visitor }: Person, form: Awaited<ReturnType<typeof formOn>>, ...changes: Change[]) => {
  const names = new Set(changes.map(([name]) => name))
  return send(w, visitor, {
    ...form,
    fields: [...form.fields.filter(([name]) => !names.has(name)), ...changes],
  })
}

/** Both save their form while the row is locked, so that each has looked at it before the other changes it. */
async function saveAtOnce(
  { table, id, page }: { readonly table: string; readonly id: number; readonly page: string },
  changes: (who: number) => Change[],
) {
  const forms = await Promise.all(people.map(async (one) => formOn(one, page)))
  const { both } = await w.db.transaction().execute(async (db) => {
    await sql`select from ${sql.table(table)} where id = ${id} for update`.execute(db)
    const asked = forms.map(async (form, who) => save(people[who === 0 ? 0 : 1], form, ...changes(who)))
    await lockWaiters(2)
    return { both: asked }
  })
  return Promise.all(both)
}

test.each([
  { table: 'issues', open: openIssue, change: 'edit' },
  { table: 'merge_requests', open: openMergeRequest, change: 'edit' },
  { table: 'milestones', open: openMilestone, change: '' },
])('of two who save a text of $table at one moment, the second is told', async ({ table, open, change }) => {
  const { body: one } = await open()
  const page = `/${p.fullPath}/-/${table}/${one.iid}${change && `/${change}`}`
  const answers = await saveAtOnce({ table, id: one.id, page }, (who) => [['description', `Of ${who}`]])
  const statuses = answers.map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([303, 409])
  const first = statuses.indexOf(303)
  expect(answers[1 - first]?.text).toContain(`Of ${1 - first}</textarea`)
  const key = table === 'milestones' ? one.id : one.iid
  expect((await p.owner.get(`/projects/${p.id}/${table}/${key}`)).body.description).toBe(`Of ${first}`)
})

async function labelledIssue() {
  const labels = ['bug', 'late', 'soon'].map((name) => ({ name, color: '#f00' }))
  for (const label of labels) await p.owner.post(`/projects/${p.id}/labels`, label)
  const { body: one } = await p.owner.post(`/projects/${p.id}/issues`, { ...text, labels: 'bug' })
  const api = `/projects/${p.id}/issues/${one.iid}`
  return { id: one.id, api, page: `/${p.fullPath}/-/issues/${one.iid}/edit` }
}

test('of two who choose labels at one moment, the second is told; who changes another field keeps both', async () => {
  const { id, api, page } = await labelledIssue()
  const chosen = (who: number): Change[] => [
    ['labels[]', 'bug'],
    ['labels[]', who === 0 ? 'late' : 'soon'],
  ]
  const answers = await saveAtOnce({ table: 'issues', id, page }, chosen)
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 409])
  const first = answers.findIndex(({ status }) => status === 303)
  expect((await p.owner.get(api)).body.labels).toEqual(['bug', first === 0 ? 'late' : 'soon'])
  const apart = await saveAtOnce({ table: 'issues', id, page }, (who) =>
    who === 0 ? [['labels[]', 'bug']] : [['title', 'New']],
  )
  expect(apart.map(({ status }) => status)).toEqual([303, 303])
  expect((await p.owner.get(api)).body).toMatchObject({ title: 'New', labels: ['bug'] })
})

test('who changes one field keeps what somebody else changed in others meanwhile, and is not told', async () => {
  const { api, page } = await labelledIssue()
  const [first] = people
  const titled = await formOn(first, page)
  await p.owner.put(api, { add_labels: 'late' })
  expect((await save(first, titled, ['title', 'New'])).status).toBe(303)
  const [saved, huge] = ['a=b&', 'a=b&'.repeat(10_000)]
  const sent = await Promise.all(
    [saved, huge].map(async (shown) => save(first, titled, ['shown_values', shown])),
  )
  expect(sent.map(({ status }) => status)).toEqual([303, 400])
  const labelled = await formOn(first, page)
  await p.owner.put(api, { title: 'Theirs', description: 'Theirs' })
  expect((await save(first, labelled, ['labels[]', 'bug'])).status).toBe(303)
  const after = { title: 'Theirs', description: 'Theirs', labels: ['bug'] }
  expect((await p.owner.get(api)).body).toMatchObject(after)
})
