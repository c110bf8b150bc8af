import { beforeAll, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { commits, importInto } from '#test/repositories.ts'
import { signedIn } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { HERE } from './test-support.ts'

// Of each list, all that is in it can be reached.

let p: Awaited<ReturnType<typeof w.project>>
let ada: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  ada = await signedIn(w)
  await w.member(p.namespaceId, ada, levels.maintainer)
})

const shown = async (address: string) => (await ada.visitor.get(address, HERE)).text

/** Where the lists of a page go on, and where they came from. */
const others = (text: string): readonly string[] =>
  [...text.matchAll(/<a href="([^"]*)"\s*>(?:← Before|Next →)<\/a\s*>/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  )

async function times(
  count: number,
  work: (number: number) => Promise<{ readonly status: number }>,
): Promise<void> {
  for (let number = 1; number <= count; number += 1) expect((await work(number)).status).toBe(201)
}

test('a folder has pages, and leads to the same folder of other branches', async () => {
  const files = Array.from({ length: 101 }, (_, index) => `${String(index).padStart(3, '0')}.txt`)
  const commit = (branch: string, start_branch: string | undefined, paths: readonly string[]) =>
    p.owner.post(`/projects/${p.id}/repository/commits`, {
      branch,
      start_branch,
      commit_message: 'Add files',
      actions: paths.map((file_path) => ({ action: 'create', file_path, content: 'text\n' })),
    })
  await commit('main', undefined, [...files, ...files.map((name) => `in/${name}`)])
  await commit('topic/one', 'main', ['in/new.txt'])
  const folder = `/${p.fullPath}/-/tree/main/in`
  const first = await shown(folder)
  expect([first.includes('099.txt'), first.includes('100.txt')]).toEqual([true, false])
  expect(others(first)).toEqual([`${folder}?page=2`])
  expect(first).toContain(`href="/${p.fullPath}/-/tree/topic/one/in"`)
  const last = await shown(`${folder}?page=2`)
  expect([last.includes('099.txt'), last.includes('100.txt')]).toEqual([false, true])
  expect(others(last)).toEqual([folder])
  expect(await shown(`${folder}?page=3`)).toContain('There is nothing more.')
  expect(others(await shown(`/${p.fullPath}`))).toEqual([`/${p.fullPath}/-/tree/main?page=2`])
})

test('a folder is shown without the other branches where their commits say too much', async () => {
  const wordy = await w.project({ visibility: 'public' })
  const files = { 'in/file.txt': 'text\n' }
  const long = Array.from({ length: 10 }, (_, index) => ({
    branch: `long-${index}`,
    message: `"x`.repeat(490_000) + index,
    files,
  }))
  await importInto(wordy, commits({ files }, ...long))
  const { status, text } = await ada.visitor.get(`/${wordy.fullPath}/-/tree/main/in`, HERE)
  expect([status, text.includes('file.txt'), text.includes('All branches')]).toEqual([200, true, true])
})

test('lists of one page have pages of their own', async () => {
  const at = `/projects/${p.id}`
  await times(51, (number) => p.owner.post(`${at}/variables`, { key: `KEY_${number}`, value: 'x' }))
  await times(51, (number) => p.owner.post(`${at}/triggers`, { description: `Trigger ${number}.` }))
  const page = `/${p.fullPath}/-/settings/ci_cd`
  expect(others(await shown(page))).toEqual([`${page}?variables=2`, `${page}?triggers=2`])
  const both = await shown(`${page}?variables=2&triggers=2`)
  expect(others(both)).toEqual([`${page}?triggers=2`, `${page}?variables=2`])
  const first = await shown(`${page}?variables=2`)
  for (const title of ['Trigger 1.', 'Trigger 51.'])
    expect(both.includes(title)).not.toBe(first.includes(title))
  expect(await shown(`${page}?triggers=3`)).toContain('There is nothing more.')
})

test('a milestone has all of its issues, and a profile all of its projects', async () => {
  const at = `/projects/${p.id}`
  const { id, iid } = (await p.owner.post(`${at}/milestones`, { title: 'Spring' })).body
  await times(51, (number) => p.owner.post(`${at}/issues`, { title: `Issue ${number}.`, milestone_id: id }))
  const page = `/${p.fullPath}/-/milestones/${iid}`
  expect(others(await shown(page))).toEqual([`${page}?issues=2`])
  const [one, two] = [await shown(page), await shown(`${page}?issues=2`)]
  for (const title of ['Issue 1.', 'Issue 51.']) expect(one.includes(title)).not.toBe(two.includes(title))
  const name = unique('box')
  await times(21, (number) => ada.user.post('/projects', { name: `${name} ${number}` }))
  expect(others(await shown(`/${ada.username}`))).toContain(`/${ada.username}?projects=2`)
  expect(others(await shown(`/${ada.username}?projects=2`))).toContain(`/${ada.username}`)
})

test('groups below a group say where they are when the group between is not shown', async () => {
  const top = await w.group({ visibility: 'public' })
  const within = async (parent_id: number, path: string, visibility: string) =>
    (await w.root.post('/groups', { name: path, path, parent_id, visibility })).body
  const between = await within(top.id, 'between', 'public')
  await within(between.id, 'below', 'public')
  const page = await shown(`/${top.fullPath}`)
  expect(page).toMatch(/between<\/strong>.*<ul class="tree">.*below<\/strong>/s)
  expect(page).not.toContain('in between')
  const after = await shown(`/${top.fullPath}?groups=2`)
  expect([others(after), after.includes('There is nothing more.')]).toEqual([[`/${top.fullPath}`], true])
})
