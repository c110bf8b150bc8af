import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE } from '#test/patience.ts'
import { person } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { expectAccessible, hasChromium, startChromium } from './chromium.ts'
import { press as pressOn, signInOn } from './signed-in.ts'

// The editor of code, which stands in the place of a plain field where somebody asks for it.

const CODE = `// A door.\nexport function door(width: number) {\n  return { width, isOpen: true }\n}\n`

describe.skipIf(!hasChromium())('the editor', { timeout: 180_000 }, () => {
  let browser: Browser
  let ada: Page
  let project = ''
  let at = ''
  let owner: Awaited<ReturnType<typeof w.project>>['owner']
  const complaints: string[] = []

  beforeAll(async () => {
    browser = await startChromium()
    const place = await w.project()
    owner = place.owner
    at = `/projects/${place.id}`
    project = `${w.url}/${place.fullPath}`
    const file = (file_path: string, content: string) => ({ action: 'create', file_path, content })
    await owner.post(`${at}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [file('door.ts', CODE), file('windows.py', 'if x:\r\n\ty = 1\r\n')],
    })
    const { id, username, password } = await person(w, { username: unique('ada'), name: 'Ada' })
    await w.member(place.namespaceId, { id }, 40)
    ada = await (await browser.newContext()).newPage()
    ada.setDefaultTimeout(PATIENCE)
    ada.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    ada.on('pageerror', (error) => complaints.push(error.message))
    await signInOn(ada, { username, password })
  }, 180_000)
  afterAll(() => browser.close())

  const press = (name: string) => pressOn(ada, name)
  const editor = () => ada.locator('.cm-content').first()
  const contentOf = async (path: string) =>
    (await owner.get(`${at}/repository/files/${encodeURIComponent(path)}/raw?ref=main`)).text

  test('is loaded when somebody asks for it, and colors what they write', async () => {
    const loaded: string[] = []
    ada.on('request', (request) => loaded.push(request.url()))
    await ada.goto(`${project}/-/edit/main/door.ts`)
    await ada.getByRole('button', { name: 'Edit with colors' }).waitFor()
    expect(loaded.filter((url) => url.includes('code-editor'))).toEqual([])
    await ada.getByRole('button', { name: 'Edit with colors' }).click()
    await ada.locator('.cm-line span', { hasText: 'export' }).waitFor()
    const colorOf = (word: string) =>
      ada.evaluate(
        `getComputedStyle([...document.querySelector('.editor').shadowRoot.querySelectorAll('.cm-line span')]
          .find((span) => span.textContent === '${word}')).color`,
      )
    expect(await colorOf('export')).toMatch(/^rgb/)
    expect(await colorOf('export')).not.toBe(await colorOf('// A door.'))
    await editor().press('Control+End')
    await editor().pressSequentially('door(2)\n')
    await expectAccessible(ada, 'editor')
    await press('Commit the change')
    expect(await contentOf('door.ts')).toBe(`${CODE}door(2)\n`)
  })

  test('is there at once from then on, and keeps the ends of lines and the kind of indentation', async () => {
    await ada.goto(`${project}/-/edit/main/windows.py`)
    await editor().press('Control+End')
    await editor().press('Tab')
    await editor().pressSequentially('z')
    await press('Commit the change')
    expect(await contentOf('windows.py')).toBe('if x:\r\n\ty = 1\r\n\tz')
  })

  test('lets those who have begun to write go on where they are', async () => {
    const isTyped = Promise.withResolvers<void>()
    await ada.route('**/code-editor.js', async (route) => {
      await isTyped.promise
      await route.continue()
    })
    await ada.goto(`${project}/-/edit/main/windows.py`)
    await ada.getByLabel('Content').press('Control+End')
    await ada.keyboard.type('1')
    isTyped.resolve()
    await editor().waitFor()
    await ada.keyboard.type('2')
    await ada.unroute('**/code-editor.js')
    await press('Commit the change')
    expect(await contentOf('windows.py')).toBe('if x:\r\n\ty = 1\r\n\tz12')
  })

  test('keeps no one who goes by keyboard', async () => {
    await ada.goto(`${project}/-/edit/main/door.ts`)
    await editor().press('Escape')
    await ada.keyboard.press('Tab')
    expect(await ada.evaluate('document.activeElement?.textContent')).toBe('Edit as plain text')
    await ada.keyboard.press('Enter')
    expect(await ada.locator('textarea[name=content]').inputValue()).toContain('door(2)')
  })

  test('gives what was written to the plain field, and back', async () => {
    await ada.goto(`${project}/-/new/main`)
    await ada.getByLabel('Path').fill('page.html')
    await ada.getByRole('button', { name: 'Edit with colors' }).click()
    await editor().pressSequentially('<p>1')
    await ada.getByRole('button', { name: 'Edit as plain text' }).click()
    expect(await ada.locator('textarea[name=content]').inputValue()).toContain('<p>1')
    await ada.locator('textarea[name=content]').fill('<p>2</p>\n')
    await ada.getByRole('button', { name: 'Edit with colors' }).click()
    await ada.locator('.cm-line span', { hasText: 'p' }).first().waitFor()
    await press('Commit the file')
    expect(await contentOf('page.html')).toBe('<p>2</p>\n')
  })

  test('colors every file of a snippet by its name', async () => {
    await ada.goto(`${project}/-/snippets/new`)
    await editor().pressSequentially('let a = 1')
    await ada.getByLabel('Name of the file').fill('a.rs')
    await ada.getByLabel('Title').fill('Rust')
    await ada.locator('.cm-line span', { hasText: 'let' }).waitFor()
    await press('Save the snippet')
    expect(await ada.textContent('main')).toContain('let a = 1')
  })

  test('needs nothing that the page forbids', () => {
    expect(complaints).toEqual([])
  })
})
