import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suggestible, type Suggestible } from '#code/merge-requests/suggestions/test-support.ts'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { press as pressOn, signInOn } from './signed-in.ts'

// Suggestions in the browser, without JavaScript and with it.

describe.skipIf(!hasChromium())('suggesting in the console', { timeout: 180_000 }, () => {
  let browser: Browser
  let p: Suggestible
  /** Without JavaScript. */
  let ada: Page
  /** With it: what looks for mistakes is a script. */
  let withScripts: Page
  let page = ''

  beforeAll(async () => {
    browser = await startChromium()
    p = await suggestible({ visibility: 'public' })
    page = `${w.url}/${p.fullPath}/-/merge_requests/${p.body.iid}`
    ada = await signedInPage(false)
    withScripts = await signedInPage(true)
  }, 180_000)
  afterAll(() => browser.close())

  async function signedInPage(javaScriptEnabled: boolean): Promise<Page> {
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(p.namespaceId, { id }, 30)
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(PATIENCE)
    const opened = await context.newPage()
    await signInOn(opened, { username, password })
    return opened
  }

  const press = (name: string) => pressOn(ada, name)

  /** Looks at the page that the other one shows. */
  async function looked(name: string): Promise<void> {
    await withScripts.goto(ada.url())
    await expectAccessible(withScripts, name)
  }

  async function suggest(line: string, to: string): Promise<void> {
    await ada.goto(`${page}/diffs`)
    await ada.getByText('Suggest a change').click()
    await ada.getByLabel('File', { exact: true }).last().selectOption('code.txt')
    await ada.getByLabel('First line').fill(line)
    await press('Show the lines')
    await ada.getByLabel('Comment', { exact: true }).fill(`Rather:\n\n\`\`\`suggestion:-0+0\n${to}\n\`\`\``)
  }

  test('a change is suggested, and applied', async () => {
    await suggest('3', 'line 3, and what belongs to it')
    await looked('working-suggestion-new')
    await press('Comment now')
    await ada.goto(page)
    expect(await ada.locator('.suggestion').count()).toBe(1)
    await ada.getByText('Apply the suggestion').click()
    await looked('working-suggestion')
    await ada.getByLabel('Commit message').fill('Say what belongs to line 3')
    await press('Apply suggestion the suggestion of Ada for line 3 of code.txt')
    expect(await ada.textContent('main')).toContain('The suggestion is applied.')
    expect((await p.tip()).message).toBe('Say what belongs to line 3')
    await looked('working-suggestion-applied')
  })

  test('several are applied at once, and what is outdated says so', async () => {
    for (const [line, text] of [
      ['5', 'five'],
      ['7', 'seven'],
      ['9', 'nine'],
    ] as const) {
      await suggest(line, text)
      await press('Comment now')
    }
    await p.commit({ 'code.txt': (await p.fileNow()).replace('line 9', 'changed') })
    await withScripts.goto(page)
    await withScripts.getByText('Apply several suggestions').click()
    await expectAccessible(withScripts, 'working-suggestions')
    await withScripts.getByLabel('line 5 of code.txt, by Ada').check()
    await withScripts.getByLabel('line 7 of code.txt, by Ada').check()
    await pressOn(withScripts, 'Apply them as one commit')
    expect(await withScripts.textContent('main')).toContain('2 suggestions are applied.')
    expect(await withScripts.textContent('main')).toContain('the lines have changed since it was made')
    await expectAccessible(withScripts, 'working-suggestions-applied')
    await withScripts.getByRole('link', { name: 'Reply, react' }).last().click()
    await expectAccessible(withScripts, 'working-suggestions-reply')
    await withScripts.getByLabel('Reply', { exact: true }).fill('I make another one')
    await pressOn(withScripts, 'Keep as a draft that resolves the thread')
    expect(await withScripts.textContent('main')).toContain('in a thread, resolves the thread')
  })
})
