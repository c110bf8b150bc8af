import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { press as pressOn, signInOn } from './signed-in.ts'

// A review in the browser.

describe.skipIf(!hasChromium())('reviewing in the console', { timeout: 60_000 }, () => {
  let browser: Browser
  let ada: Page
  let page = ''
  let api = ''

  beforeAll(async () => {
    browser = await startChromium()
    const place = await branchedProject({ visibility: 'public' })
    const { path, body } = await openMergeRequest(place, place.developer)
    api = path
    page = `${w.url}/${place.fullPath}/-/merge_requests/${body.iid}/diffs`
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, { id }, 30)
    const context = await browser.newContext()
    ada = await context.newPage()
    ada.setDefaultTimeout(5_000)
    await signInOn(ada, { username, password })
  }, 60_000)
  afterAll(() => browser.close())

  const press = (name: string) => pressOn(ada, name)

  async function keep(line: string, comment: string): Promise<void> {
    await ada.getByText('Comment on a line').click()
    await ada.getByLabel('File', { exact: true }).selectOption('a.txt')
    await ada.getByLabel('Line', { exact: true }).fill(line)
    await ada.getByLabel('Comment', { exact: true }).last().fill(comment)
    await press('Keep as a draft')
  }

  test('drafts are kept on lines, and published at once', async () => {
    await ada.goto(page)
    await ada.getByText('Comment on a line').click()
    await expectAccessible(ada, 'working-review')
    await ada.goto(page)
    await keep('2', 'Why so **loud**?')
    await keep('1', 'And why only this one?\n\n- it could be another\n- or none')
    expect(await ada.textContent('main')).toContain('2 draft notes')
    await expectAccessible(ada, 'working-review-drafts')
    await keep('99', 'Nowhere')
    expect(await ada.locator('[aria-invalid]').count()).toBe(1)
    await expectAccessible(ada, 'working-review-wrong')
    await press('Publish all')
    expect(await ada.textContent('main')).toContain('Your draft notes are published.')
    expect((await w.root.get(`${api}/discussions`)).body).toHaveLength(2)
  })
})
