import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { made, newBoard, newLabel, newMilestone } from '#planning/boards/test-support.ts'
import { until } from '#test/until.ts'
import { person } from '#test/visitor.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'

const longName = 'a-name-as-long-as-people-make-them-'.repeat(7).slice(0, 245)

describe.skipIf(!hasChromium())('boards in the console', { timeout: 300_000 }, () => {
  let browser: Browser
  let page: Page
  let owner: Actor
  let base = ''
  let fullPath = ''
  let group = ''
  let empty = ''
  const boards: Record<string, number> = {}

  beforeAll(async () => {
    browser = await startChromium()
    page = await browser.newPage()
    const place = await w.group({ visibility: 'public' })
    const project = await w.project({ parent: place.id, visibility: 'public' })
    owner = project.owner
    await w.memberAtLeast(place.id, owner, 50)
    fullPath = project.fullPath
    group = place.fullPath
    base = `/projects/${project.id}`
    empty = (await w.project({ visibility: 'public', parent: place.id })).fullPath
    await owner.put(base, { name: 'Demo' })
    const colors = { 'To do': '#428bca', Doing: '#d99530', Review: '#8fbc8f', 'team/web': '#330066' }
    const labels: Record<string, number> = {}
    for (const [name, color] of Object.entries(colors))
      labels[name] = (await made(owner, `/groups/${place.id}/labels`, { name, color })).id
    const long = await newLabel(owner, base, longName)
    const milestone = await newMilestone(owner, base, 'العربية — 1.0')
    const ada = await w.user({ username: unique('ada'), name: 'Ada Lovelace' })
    await w.member(project.namespaceId, ada, 30)
    const open = (title: string, more: object) => made(owner, `${base}/issues`, { title, ...more })
    for (let n = 1; n <= 23; n += 1) await open(`Something to do, number ${n}`, { labels: 'To do' })
    await open('Cannot sign in with a name that has a space in it', {
      labels: 'Doing,team/web',
      assignee_id: ada.id,
      weight: 3,
      due_date: '2030-01-02',
      milestone_id: milestone.id,
    })
    await open(longName, { labels: `Doing,Review,${longName}`, confidential: true })
    await open('<img src=x onerror=alert(1)>', { labels: 'Review' })
    await open('هذه مشكلة في الصفحة', { milestone_id: milestone.id })
    for (const title of ['Nobody has looked at this', 'Nor at this']) await open(title, {})
    await open('Done long ago', { labels: 'Doing' })
    const { body } = await owner.get(`${base}/issues?search=ago`)
    await owner.put(`${base}/issues/${body[0].iid}`, { state_event: 'close' })
    const full = await newBoard(owner, base, { name: 'Work' })
    for (const list of [
      ...['To do', 'Doing', 'Review'].map((name) => ({ label_id: labels[name] })),
      { assignee_id: ada.id },
      { milestone_id: milestone.id },
      { label_id: long.id },
    ])
      await made(owner, `${full.path}/lists`, list)
    boards['full'] = full.id
    const scope = { milestone_id: milestone.id, assignee_id: ada.id, labels: 'team/web', weight: 3 }
    const scoped = await newBoard(owner, base, { name: longName, ...scope })
    await made(owner, `${scoped.path}/lists`, { label_id: labels['Doing'] })
    boards['scoped'] = scoped.id
    boards['bare'] = (await newBoard(owner, base, { name: 'Bare' })).id
    const hidden = { name: 'Nothing', hide_backlog_list: true, hide_closed_list: true }
    boards['nothing'] = (await newBoard(owner, base, hidden)).id
    const ofGroup = await newBoard(owner, `/groups/${place.id}`, { name: 'All teams' })
    for (const name of ['To do', 'Doing'])
      await made(owner, `${ofGroup.path}/lists`, { label_id: labels[name] })
    boards['group'] = ofGroup.id
    const visitor = await person(w, { username: unique('grace'), name: 'Grace' })
    await w.member(place.id, visitor, 20)
    await page.goto(`${w.url}/${fullPath}/-/boards`)
    await page.getByLabel('Username or e-mail address').fill(visitor.username)
    await page.getByLabel('Password').fill(visitor.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Work' }).waitFor()
  }, 180_000)
  afterAll(() => browser.close())

  const visit = async (path: string) => {
    const answer = await page.goto(`${w.url}${path}`)
    expect([path, answer?.status()]).toEqual([path, 200])
  }

  test.each([
    ['full', () => `/${fullPath}/-/boards/${boards['full']}`, 'Cannot sign in'],
    ['scoped', () => `/${fullPath}/-/boards/${boards['scoped']}`, 'Weight'],
    ['edit', () => `/${fullPath}/-/boards/${boards['scoped']}/edit`, 'A list for'],
    ['bare', () => `/${fullPath}/-/boards/${boards['bare']}`, 'This board has no list yet.'],
    ['nothing', () => `/${fullPath}/-/boards/${boards['nothing']}`, 'shows neither open nor closed'],
    ['empty', () => `/${empty}/-/boards`, 'There is no board here.'],
    ['group', () => `/groups/${group}/-/boards/${boards['group']}`, 'All teams'],
    ['column', () => `/${fullPath}/-/boards/${boards['full']}/lists/open`, 'Nor at this'],
  ])('%s', async (name, path, words) => {
    await visit(path())
    expect(await page.textContent('main')).toContain(words)
    await expectAccessible(page, `console-board-${name}`)
  })

  test('columns scroll by the keyboard, and the page stays', async () => {
    await page.setViewportSize({ width: 360, height: 700 })
    await visit(`/${fullPath}/-/boards/${boards['full']}`)
    const region = page.getByRole('region', { name: 'Lists of this board' })
    await region.focus()
    const now = () => page.evaluate<number>("document.querySelector('[role=region]').scrollLeft")
    expect(await now()).toBe(0)
    await page.keyboard.press('ArrowRight')
    await until(async () => expect(await now()).toBeGreaterThan(0))
    const moved = await page.evaluate('[window.scrollX, document.documentElement.scrollWidth]')
    expect(moved).toEqual([0, 360])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a column leads to all of its issues, and back', async () => {
    await visit(`/${fullPath}/-/boards/${boards['full']}`)
    await page.getByRole('link', { name: 'All 23 in To do' }).click()
    await page.getByRole('link', { name: 'Next →' }).click()
    await page.getByText('Page 2').waitFor()
    await expectAccessible(page, 'console-board-column-2')
    await page.getByRole('link', { name: '← Work' }).click()
    await page.getByRole('heading', { name: 'Work' }).waitFor()
  })
})
