import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import type { Client } from '#test/client.ts'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { follow, press as pressOn, signInOn } from './signed-in.ts'

// A review in the browser.

describe.skipIf(!hasChromium())('reviewing in the console', { timeout: 180_000 }, () => {
  let browser: Browser
  let ada: Page
  let page = ''
  let api = ''
  let branch = ''
  let developer: Client

  beforeAll(async () => {
    browser = await startChromium()
    const place = await branchedProject({ visibility: 'public' })
    const { path, body } = await openMergeRequest(place, place.developer)
    api = path
    branch = body.source_branch
    developer = place.developer
    page = `${w.url}/${place.fullPath}/-/merge_requests/${body.iid}/diffs`
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, { id }, 30)
    const context = await browser.newContext()
    ada = await context.newPage()
    ada.setDefaultTimeout(PATIENCE)
    await signInOn(ada, { username, password })
  }, 180_000)
  afterAll(() => browser.close())

  const press = (name: string) => pressOn(ada, name)

  async function keep(line: string, comment: string): Promise<void> {
    await ada.getByText('Comment on a line').click()
    await ada.getByLabel('File', { exact: true }).first().selectOption('a.txt')
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

  test('what was viewed stays folded until it changes, and earlier versions stay to be seen', async () => {
    const isViewed = () => ada.getByLabel('Viewed a.txt').isChecked()
    await ada.goto(page)
    await ada.getByLabel('Viewed a.txt').check()
    await ada.reload()
    expect(await isViewed()).toBe(true)
    expect(await ada.locator('section.file table').first().isVisible()).toBe(false)
    await expectAccessible(ada, 'working-review-viewed')
    await developer.post(`${api.replace(/\/merge_requests.*/, '')}/repository/commits`, {
      branch,
      commit_message: 'Change it again',
      actions: [{ action: 'update', file_path: 'a.txt', content: 'another\n' }],
    })
    await expect.poll(async () => (await developer.get(`${api}/versions`)).body.length).toBe(2)
    await ada.goto(page)
    expect(await isViewed()).toBe(false)
    await ada.getByText('Latest version').click()
    await expectAccessible(ada, 'working-review-versions')
    await follow(ada, ada.getByRole('link', { name: 'Version 1' }))
    expect(await ada.textContent('main')).toContain('An earlier version')
    expect(await isViewed()).toBe(true)
    expect(await ada.getByText('Comment on a line').count()).toBe(0)
  })
})
